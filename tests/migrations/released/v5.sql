-- The store as first released.  Instants are milliseconds since 1970, UTC; JSON columns hold JSON text.
-- `row` is the file's own integer key: small joins, small indexes; `id` is the name the outside knows.

PRAGMA application_id = 1296449858;

-- One row of running totals, kept by triggers, so that no search counts the whole table.
CREATE TABLE totals (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    units INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    names INTEGER NOT NULL,     -- grows with every change to a name
    removals INTEGER NOT NULL   -- grows with every vector that goes
);
INSERT INTO totals VALUES (1, 0, 0, 0, 0);

CREATE TABLE projects (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    root TEXT NOT NULL,
    remote TEXT,
    root_commit TEXT
);

CREATE TABLE sessions (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    project INTEGER REFERENCES projects (row),
    cwd TEXT,
    title TEXT,
    started_at INTEGER,
    ended_at INTEGER,
    models TEXT NOT NULL,
    parent TEXT,
    file TEXT
);

-- What filters and orders; the text itself is next door, so that scans stay small.
CREATE TABLE memories (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL REFERENCES sessions (row),
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    place INTEGER,              -- consecutive in its session by (seq, part)
    kind TEXT NOT NULL,
    project INTEGER REFERENCES projects (row),
    at INTEGER,
    digest BLOB NOT NULL        -- of everything a batch said about it: equal means unchanged
);
CREATE INDEX memories_session ON memories (session, place);
CREATE INDEX memories_project ON memories (project, at);
CREATE INDEX memories_at ON memories (at);

CREATE TABLE bodies (
    row INTEGER PRIMARY KEY REFERENCES memories (row) ON DELETE CASCADE,
    text TEXT NOT NULL,
    entities TEXT NOT NULL,
    metadata TEXT NOT NULL,
    source TEXT NOT NULL,
    file TEXT,
    first_line INTEGER,
    last_line INTEGER,
    record TEXT
);

CREATE TABLE units (
    row INTEGER PRIMARY KEY REFERENCES memories (row) ON DELETE CASCADE,
    length INTEGER NOT NULL,
    prompt TEXT NOT NULL,
    reply TEXT NOT NULL
);
CREATE TRIGGER units_added AFTER INSERT ON units BEGIN
    UPDATE totals SET units = units + 1, tokens = tokens + new.length;
END;
CREATE TRIGGER units_removed AFTER DELETE ON units BEGIN
    UPDATE totals SET units = units - 1, tokens = tokens - old.length;
END;

CREATE TABLE touched (
    row INTEGER PRIMARY KEY REFERENCES memories (row) ON DELETE CASCADE,
    refs TEXT NOT NULL
);

-- One text a session and project, so that no project is found by another's words (C-148).
CREATE TABLE session_texts (
    row INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (row),
    project INTEGER REFERENCES projects (row)
);
CREATE UNIQUE INDEX session_texts_key ON session_texts (session, ifnull(project, 0));
CREATE VIEW session_content AS
SELECT
    t.row AS row,
    (
        SELECT group_concat(tokens, '')
        FROM (
            SELECT u.prompt || u.reply AS tokens
            FROM memories m JOIN units u ON u.row = m.row
            WHERE m.session = t.session AND +m.project IS t.project
            ORDER BY m.seq, m.part, m.row
        )
    ) AS tokens
FROM session_texts t;

-- The ascii tokenizer leaves every character beyond ASCII alone, whatever SQLite knows of Unicode (C-056, C-057):
-- our own analysis has already cut, folded and stemmed.
CREATE VIRTUAL TABLE units_fts USING fts5 (prompt, reply, content = 'units', content_rowid = 'row', tokenize = 'ascii');
INSERT INTO units_fts (units_fts, rank) VALUES ('rank', 'bm25(1.4, 1.0)');
CREATE VIRTUAL TABLE units_vocab USING fts5vocab ('units_fts', 'row');
CREATE VIRTUAL TABLE touched_fts USING fts5 (refs, content = 'touched', content_rowid = 'row', tokenize = 'ascii');
CREATE VIRTUAL TABLE session_fts USING fts5 (
    tokens, content = 'session_content', content_rowid = 'row', tokenize = 'ascii'
);

CREATE TABLE statements (
    memory INTEGER NOT NULL REFERENCES memories (row) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    kind TEXT NOT NULL,
    category TEXT NOT NULL,
    content TEXT NOT NULL,      -- the whole statement as JSON
    PRIMARY KEY (memory, place)
) WITHOUT ROWID;
CREATE INDEX statements_kind ON statements (kind, memory);
CREATE INDEX statements_category ON statements (category, memory);

CREATE TABLE entities (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT,
    label TEXT
);

-- The display name has place 0, aliases follow.
CREATE TABLE entity_names (
    entity INTEGER NOT NULL REFERENCES entities (row) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (entity, place)
) WITHOUT ROWID;
CREATE INDEX entity_names_key ON entity_names (key);
CREATE TRIGGER names_added AFTER INSERT ON entity_names BEGIN
    UPDATE totals SET names = names + 1;
END;
CREATE TRIGGER names_removed AFTER DELETE ON entity_names BEGIN
    UPDATE totals SET names = names + 1;
END;

CREATE TABLE relations (
    row INTEGER PRIMARY KEY,
    subject INTEGER NOT NULL REFERENCES entities (row),
    predicate TEXT,
    label TEXT NOT NULL,
    object INTEGER NOT NULL REFERENCES entities (row),
    origin TEXT NOT NULL,
    project INTEGER REFERENCES projects (row),
    valid_from INTEGER,
    valid_to INTEGER,           -- as stated
    closed_at INTEGER,          -- when a later statement superseded it: derived, see supersession.py
    recorded_at INTEGER,
    evidence INTEGER REFERENCES memories (row) ON DELETE CASCADE,
    line INTEGER,
    ends INTEGER AS (
        CASE WHEN valid_to IS NULL THEN closed_at WHEN closed_at IS NULL THEN valid_to ELSE min(valid_to, closed_at) END
    ) STORED
);
CREATE UNIQUE INDEX relations_fact ON relations (
    subject, ifnull(predicate, ''), label, object, ifnull(evidence, 0), ifnull(project, 0)
);
CREATE INDEX relations_subject ON relations (subject, predicate, project, object, label, ends, valid_from);
CREATE INDEX relations_object ON relations (object, predicate, project, subject, label, ends, valid_from);
CREATE INDEX relations_evidence ON relations (evidence);
CREATE INDEX relations_closed_subject ON relations (subject) WHERE closed_at IS NOT NULL;
CREATE INDEX relations_closed_object ON relations (object) WHERE closed_at IS NOT NULL;

CREATE TABLE mentions (
    memory INTEGER NOT NULL REFERENCES memories (row) ON DELETE CASCADE,
    entity INTEGER NOT NULL REFERENCES entities (row),
    place INTEGER NOT NULL,
    at INTEGER,                 -- the memory's, so that the newest come first without a sort
    PRIMARY KEY (memory, entity)
) WITHOUT ROWID;
CREATE INDEX mentions_entity ON mentions (entity, at, memory);

CREATE TABLE spaces (
    row INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dimension INTEGER,
    mean REAL,
    deviation REAL,
    pairs INTEGER
);

CREATE TABLE vectors (
    row INTEGER PRIMARY KEY,
    space INTEGER NOT NULL REFERENCES spaces (row),
    memory INTEGER NOT NULL REFERENCES memories (row) ON DELETE CASCADE,
    window INTEGER NOT NULL,
    data BLOB NOT NULL          -- unit float32, little endian
);
CREATE UNIQUE INDEX vectors_memory ON vectors (memory, space, window);
CREATE INDEX vectors_space ON vectors (space, row, window);
CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
    UPDATE totals SET removals = removals + 1;
END;

CREATE TABLE tombstones (
    id TEXT PRIMARY KEY,
    text_hash TEXT NOT NULL,    -- SHA-256 of the folded text, hexadecimal
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX tombstones_hash ON tombstones (text_hash);

CREATE TABLE ledger (
    path TEXT PRIMARY KEY,
    format TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    inode TEXT NOT NULL,        -- may exceed 63 bits
    head_hash TEXT NOT NULL,
    offset INTEGER NOT NULL,
    line INTEGER NOT NULL,
    session TEXT,
    last_seq INTEGER NOT NULL,
    used TEXT NOT NULL,
    skipped TEXT NOT NULL,
    error TEXT
) WITHOUT ROWID;

-- The graph as clients of a memory server write it, what waits to be pushed to memories elsewhere, and a journal.

ALTER TABLE entities ADD COLUMN declared INTEGER;   -- when a client created it; NULL where it was only read or named

-- What was observed of an entity, in the client's own words; the memory is what search finds.
CREATE TABLE observations (
    row INTEGER PRIMARY KEY,
    entity INTEGER NOT NULL REFERENCES entities (row) ON DELETE CASCADE,
    memory INTEGER NOT NULL REFERENCES memories (row) ON DELETE CASCADE,
    text TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE UNIQUE INDEX observations_entity ON observations (entity, memory);
CREATE INDEX observations_memory ON observations (memory);

-- Names and types of entities, analysed like every text; the rowid is the entity's row.
CREATE VIRTUAL TABLE nodes_fts USING fts5 (names, type, tokenize = 'ascii');
INSERT INTO nodes_fts (rowid, names, type)
SELECT e.row, analysed(group_concat(n.name, ' ')), analysed(coalesce(e.label, e.kind, ''))
FROM entities e JOIN entity_names n ON n.entity = e.row
GROUP BY e.row;

-- Entities and relations that were deleted: they stay away through every re-ingest, until somebody writes them again.
CREATE TABLE buried (
    what TEXT NOT NULL,         -- 'entity' or 'relation'
    key TEXT NOT NULL,          -- the entity's id; subject, label and object as a JSON list
    at INTEGER NOT NULL,
    PRIMARY KEY (what, key)
) WITHOUT ROWID;

-- What was deleted, as it was: history, and the means to undo.
CREATE TABLE journal (
    row INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    act TEXT NOT NULL,
    content TEXT NOT NULL       -- JSON
);

-- What is to be pushed to memories elsewhere, one row a thing and target; it stays when sent, as what is known there.
CREATE TABLE outbox (
    row INTEGER PRIMARY KEY,
    target TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,      -- JSON, keys in order
    hashes TEXT NOT NULL,       -- JSON list
    memory TEXT,                -- its id; not a reference, since a parcel outlives what it was made of
    state TEXT NOT NULL,        -- 'waiting', 'claimed' or 'sent'
    queued_at INTEGER NOT NULL,
    claim INTEGER,              -- a number of the claim, drawn anew each time
    lease INTEGER,              -- a claim holds until then
    attempts INTEGER NOT NULL,
    error TEXT,
    remote_id TEXT,
    sent_at INTEGER
);
CREATE UNIQUE INDEX outbox_key ON outbox (target, key);
CREATE INDEX outbox_queue ON outbox (target, queued_at, row) WHERE state <> 'sent';
CREATE UNIQUE INDEX outbox_claim ON outbox (claim);

-- Texts that we put into memories elsewhere, or may have: coming back from there they are no witness.
CREATE TABLE pushed (
    target TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    memory TEXT,
    PRIMARY KEY (target, text_hash)
) WITHOUT ROWID;

-- A few bits a vector, in blocks of 256 rows: enough to tell which vectors are worth reading.  A row's place in its
-- block is fixed, so that what goes can be wiped out of it; see vector_codes.py for the layout.

ALTER TABLE totals ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;   -- grows with every change to a block

CREATE TABLE vector_blocks (
    space INTEGER NOT NULL REFERENCES spaces (row),
    block INTEGER NOT NULL,     -- row of a vector / 256
    changed INTEGER NOT NULL,   -- what totals.changes was then
    data BLOB NOT NULL
);
CREATE UNIQUE INDEX vector_blocks_key ON vector_blocks (space, block);
CREATE INDEX vector_blocks_changed ON vector_blocks (space, changed);

CREATE TRIGGER vectors_uncoded AFTER DELETE ON vectors BEGIN
    UPDATE totals SET changes = changes + 1;
    UPDATE vector_blocks SET
        changed = (SELECT changes FROM totals),
        data = CAST(
            substr(data, 1, (old.row % 256) * (length(data) / 256))
            || zeroblob(length(data) / 256)
            || substr(data, (old.row % 256 + 1) * (length(data) / 256) + 1)
            AS BLOB
        )
    WHERE space = old.space AND block = old.row / 256;
END;

INSERT INTO vector_blocks (space, block, changed, data)
SELECT space, row / 256, 1, coded(row % 256, memory, data) FROM vectors GROUP BY space, row / 256;
UPDATE totals SET changes = 1;

-- Japanese, Chinese and Korean are cut into other tokens than before (cjk.py): what holds any is analysed anew.

CREATE TABLE recut (row INTEGER PRIMARY KEY);
INSERT INTO recut SELECT row FROM units WHERE prompt || reply GLOB '*[々-鿿가-힣﨎-﨩𠀀-𿿿]*';
CREATE TABLE recut_sessions (row INTEGER PRIMARY KEY);
INSERT OR IGNORE INTO recut_sessions
SELECT t.row FROM recut r
JOIN memories m ON m.row = r.row
JOIN session_texts t ON t.session = m.session AND t.project IS m.project;

INSERT INTO session_fts (session_fts, rowid, tokens)
SELECT 'delete', row, tokens FROM session_content WHERE row IN recut_sessions;
INSERT INTO units_fts (units_fts, rowid, prompt, reply)
SELECT 'delete', row, prompt, reply FROM units WHERE row IN recut;
UPDATE units SET
    prompt = (SELECT analysed_half(text, 0) FROM bodies b WHERE b.row = units.row),
    reply = (SELECT analysed_half(text, 1) FROM bodies b WHERE b.row = units.row)
WHERE row IN recut;
-- Each token stands between two spaces of its own.
UPDATE units SET length = (length(prompt || reply) - length(replace(prompt || reply, ' ', ''))) / 2 WHERE row IN recut;
UPDATE totals SET tokens = (SELECT coalesce(sum(length), 0) FROM units);
INSERT INTO units_fts (rowid, prompt, reply) SELECT row, prompt, reply FROM units WHERE row IN recut;
INSERT INTO session_fts (rowid, tokens) SELECT row, tokens FROM session_content WHERE row IN recut_sessions;

DELETE FROM recut;
INSERT INTO recut SELECT row FROM touched WHERE refs GLOB '*[々-鿿가-힣﨎-﨩𠀀-𿿿]*';
INSERT INTO touched_fts (touched_fts, rowid, refs) SELECT 'delete', row, refs FROM touched WHERE row IN recut;
UPDATE touched SET refs = (SELECT analysed_targets(metadata) FROM bodies b WHERE b.row = touched.row)
WHERE row IN recut;
INSERT INTO touched_fts (rowid, refs) SELECT row, refs FROM touched WHERE row IN recut;

DELETE FROM recut;
INSERT INTO recut SELECT rowid FROM nodes_fts WHERE names || type GLOB '*[々-鿿가-힣﨎-﨩𠀀-𿿿]*';
DELETE FROM nodes_fts WHERE rowid IN recut;
INSERT INTO nodes_fts (rowid, names, type)
SELECT e.row, analysed(group_concat(n.name, ' ')), analysed(coalesce(e.label, e.kind, ''))
FROM entities e JOIN entity_names n ON n.entity = e.row
WHERE e.row IN recut
GROUP BY e.row;

DROP TABLE recut;
DROP TABLE recut_sessions;

-- In how many session texts a word stands, so that common ones need not be scored.
CREATE VIRTUAL TABLE IF NOT EXISTS session_vocab USING fts5vocab ('session_fts', 'row');

PRAGMA user_version = 5;
INSERT INTO sessions VALUES (1, 's1', 'note', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL);
INSERT INTO memories VALUES (1, 'm1', 1, 0, 0, 0, 'note', NULL, 1772323200000, X'144E5A65C824E5E8EBDFC90F3F14FBF6');
INSERT INTO bodies VALUES (1, 'USER: a walrus', '[]', '{}', 'note', NULL, NULL, NULL, NULL);
INSERT INTO units VALUES (1, 1, ' walrus ', '');
INSERT INTO session_texts VALUES (1, 1, NULL);
INSERT INTO units_fts (units_fts) VALUES ('rebuild');
INSERT INTO touched_fts (touched_fts) VALUES ('rebuild');
INSERT INTO session_fts (session_fts) VALUES ('rebuild');
