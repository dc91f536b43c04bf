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
