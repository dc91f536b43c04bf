-- Every query longer than a line.  `{scope}` takes the conditions that scope.py builds; a fragment's name in braces
-- takes that fragment.  Lists come as one JSON parameter.

-- name: memory
-- Fragment: the columns of a memory, in the order rows.memory_of takes them, and the tables they come from.
m.id, b.text, m.kind, p.id, m.at, b.source, n.id, b.file, b.first_line, b.last_line, b.record, b.entities, b.metadata
FROM memories m
JOIN bodies b ON b.row = m.row
JOIN sessions n ON n.row = m.session
LEFT JOIN projects p ON p.row = m.project

-- name: relation
-- Fragment: the columns of a relation as it is shown (with its effective end), and the tables they come from.
a.id, r.predicate, z.id, r.label, r.origin, p.id, r.valid_from, r.ends, r.recorded_at, e.id, r.line
FROM relations r
JOIN entities a ON a.row = r.subject
JOIN entities z ON z.row = r.object
LEFT JOIN projects p ON p.row = r.project
LEFT JOIN memories e ON e.row = r.evidence

-- name: entity
-- Fragment: the columns of an entity, its names as a JSON list with the display name first.
e.id, e.kind, e.label, (
    SELECT json_group_array(name) FROM (SELECT name FROM entity_names WHERE entity = e.row ORDER BY place)
)

-- name: session
-- Fragment: the columns of a session in the order of the value's fields, and the tables they come from.
n.id, n.source, p.id, n.cwd, n.title, n.started_at, n.ended_at, n.models, n.parent, n.file
FROM sessions n
LEFT JOIN projects p ON p.row = n.project

-- name: projects_by_id
-- Projects among these ids.
SELECT row, id, name, root, remote, root_commit FROM projects WHERE id IN (SELECT value FROM json_each(:ids));

-- name: all_projects
-- All projects, by name then id.
SELECT id, name, root, remote, root_commit FROM projects ORDER BY name, id;

-- name: change_project
-- Describe a project anew.
UPDATE projects SET name = ?, root = ?, remote = ?, root_commit = ? WHERE row = ?;

-- name: sessions_by_id
-- Sessions among these ids, each after its row.
SELECT n.row, {session} WHERE n.id IN (SELECT value FROM json_each(:ids));

-- name: all_sessions
-- All sessions, in the order they were met.
SELECT {session} ORDER BY n.row;

-- name: add_session
-- A new session.
INSERT INTO sessions (row, id, source, project, cwd, title, started_at, ended_at, models, parent, file)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: change_session
-- Describe a session anew.
UPDATE sessions SET
    id = ?, source = ?, project = ?, cwd = ?, title = ?, started_at = ?, ended_at = ?, models = ?, parent = ?, file = ?
WHERE row = ?;

-- name: stored_memories
-- What the plan must know of the memories among these ids.
SELECT m.id, m.row, n.id, m.session, m.project, m.digest
FROM memories m JOIN sessions n ON n.row = m.session
WHERE m.id IN (SELECT value FROM json_each(:ids));

-- name: same_text
-- Whether a row already holds exactly this text.
SELECT 1 FROM bodies WHERE row = ? AND text = ?;

-- name: begins
-- Whether what a row holds is the beginning of a longer text.
SELECT 1 FROM bodies WHERE row = ?1 AND length(text) < length(?2) AND text = substr(?2, 1, length(text));

-- name: memory_rows
-- Rows of the memories among these ids.
SELECT id, row FROM memories WHERE id IN (SELECT value FROM json_each(:ids));

-- name: tombstones_of
-- Tombstones of these ids or of these text hashes.
SELECT id, text_hash FROM tombstones
WHERE id IN (SELECT value FROM json_each(:ids))
   OR text_hash IN (SELECT value FROM json_each(:hashes));

-- name: tombstones_by_id
-- Which of these ids were forgotten.
SELECT id FROM tombstones WHERE id IN (SELECT value FROM json_each(:ids));

-- name: put_memory
-- A memory, new or replaced in its row; its place is given by renumber.
INSERT INTO memories (row, id, session, seq, part, kind, project, at, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (row) DO UPDATE SET
    session = excluded.session, seq = excluded.seq, part = excluded.part, kind = excluded.kind,
    project = excluded.project, at = excluded.at, digest = excluded.digest;

-- name: put_body
-- The body of a memory, new or replaced.
INSERT INTO bodies (row, text, entities, metadata, source, file, first_line, last_line, record)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (row) DO UPDATE SET
    text = excluded.text, entities = excluded.entities, metadata = excluded.metadata, source = excluded.source,
    file = excluded.file, first_line = excluded.first_line, last_line = excluded.last_line, record = excluded.record;

-- name: renumber
-- Consecutive places inside sessions, ordered by (seq, part).
UPDATE memories SET place = n.place
FROM (
    SELECT row, row_number() OVER (PARTITION BY session ORDER BY seq, part, row) - 1 AS place
    FROM memories WHERE session IN (SELECT value FROM json_each(:sessions))
) n
WHERE n.row = memories.row AND memories.place IS NOT n.place;

-- name: stated
-- Kinds of statement that these memories hold.
SELECT DISTINCT m.id, s.kind FROM memories m JOIN statements s ON s.memory = m.row
WHERE m.id IN (SELECT value FROM json_each(:ids));

-- name: drop_statements
-- Statements of these rows.
DELETE FROM statements WHERE memory IN (SELECT value FROM json_each(:rows));

-- name: drop_mentions
-- Mentions in these rows.
DELETE FROM mentions WHERE memory IN (SELECT value FROM json_each(:rows));

-- name: drop_relations
-- Relations that rest on these rows.
DELETE FROM relations WHERE evidence IN (SELECT value FROM json_each(:rows));

-- name: drop_vectors
-- Vectors of these rows.
DELETE FROM vectors WHERE memory IN (SELECT value FROM json_each(:rows));

-- name: drop_memories
-- These rows, with everything that cascades.
DELETE FROM memories WHERE row IN (SELECT value FROM json_each(:rows));

-- name: index_unit
-- Index a unit.
INSERT INTO units_fts (rowid, prompt, reply) VALUES (?, ?, ?);

-- name: index_touched
-- Index what a memory's tools touched.
INSERT INTO touched_fts (rowid, refs) VALUES (?, ?);

-- name: unindex_units
-- Take units out of their index.
INSERT INTO units_fts (units_fts, rowid, prompt, reply)
SELECT 'delete', row, prompt, reply FROM units WHERE row IN (SELECT value FROM json_each(:rows));

-- name: unindex_touched
-- Take references out of their index.
INSERT INTO touched_fts (touched_fts, rowid, refs)
SELECT 'delete', row, refs FROM touched WHERE row IN (SELECT value FROM json_each(:rows));

-- name: drop_units
-- Tokens of these rows.
DELETE FROM units WHERE row IN (SELECT value FROM json_each(:rows));

-- name: drop_touched
-- References of these rows.
DELETE FROM touched WHERE row IN (SELECT value FROM json_each(:rows));

-- name: parts
-- Fragment: the session texts of these (session, project) pairs.
SELECT t.row FROM json_each(:parts) k
JOIN session_texts t
    ON t.session = json_extract(k.value, '$[0]')
    AND ifnull(t.project, 0) = ifnull(json_extract(k.value, '$[1]'), 0)

-- name: unindex_sessions
-- Take session texts out of their index.
INSERT INTO session_fts (session_fts, rowid, tokens)
SELECT 'delete', row, tokens FROM session_content WHERE row IN ({parts});

-- name: index_sessions
-- Index session texts as they are now.
INSERT INTO session_fts (rowid, tokens) SELECT row, tokens FROM session_content WHERE row IN ({parts});

-- name: drop_empty_sessions
-- Session texts without memories.
DELETE FROM session_texts
WHERE row IN ({parts})
    AND NOT EXISTS (
        SELECT 1 FROM memories m WHERE m.session = session_texts.session AND +m.project IS session_texts.project
    );

-- name: add_sessions
-- Session texts of pairs that have memories and no text yet.
INSERT INTO session_texts (row, session, project)
SELECT :first + k.key, json_extract(k.value, '$[0]'), json_extract(k.value, '$[1]')
FROM json_each(:parts) k
WHERE EXISTS (
    SELECT 1 FROM memories m
    WHERE m.session = json_extract(k.value, '$[0]') AND +m.project IS json_extract(k.value, '$[1]')
)
ON CONFLICT DO NOTHING;

-- name: entities_by_id
-- Entities among these ids, with their rows.
SELECT {entity}, e.row FROM entities e WHERE e.id IN (SELECT value FROM json_each(:ids));

-- name: type_entity
-- The kind and label of an entity that had neither.
UPDATE entities SET kind = ?, label = ? WHERE row = ?;

-- name: add_relation
-- A relation, unless an equal one is stored.
INSERT INTO relations (
    subject, predicate, label, object, origin, project, valid_from, valid_to, recorded_at, evidence, line
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING;

-- name: end_relation
-- End the stored relation that equals one now given with an end.
UPDATE relations SET valid_to = max(?1, ifnull(valid_from, ?1))
WHERE subject = ?2 AND ifnull(predicate, '') = ifnull(?3, '') AND label = ?4 AND object = ?5
    AND ifnull(evidence, 0) = ifnull(?6, 0) AND ifnull(project, 0) = ifnull(?7, 0) AND valid_to IS NULL;

-- name: add_mention
-- A mention, with its memory's time.
INSERT INTO mentions (memory, entity, place, at)
SELECT row, ?1, ?2, at FROM memories WHERE row = ?3
ON CONFLICT DO NOTHING;

-- name: relations_on
-- Relations that rest on these rows.
SELECT subject, predicate, object, project FROM relations WHERE evidence IN (SELECT value FROM json_each(:rows));

-- name: contested_subjects
-- Of these (subject, predicate, project): those with two objects, or with a fact that was closed.
SELECT s, p, j FROM (
    SELECT json_extract(value, '$[0]') AS s, json_extract(value, '$[1]') AS p, json_extract(value, '$[2]') AS j
    FROM json_each(:keys)
)
WHERE (SELECT min(object) FROM relations r WHERE r.subject = s AND r.predicate = p AND r.project IS j)
    <> (SELECT max(object) FROM relations r WHERE r.subject = s AND r.predicate = p AND r.project IS j)
    OR EXISTS (
        SELECT 1 FROM relations r INDEXED BY relations_closed_subject
        WHERE r.subject = s AND r.closed_at IS NOT NULL AND r.predicate = p AND r.project IS j
    );

-- name: facts_of_subject
-- What decides about the facts of one subject, predicate and project.
SELECT row, predicate, object, valid_from, closed_at FROM relations
WHERE subject = ? AND predicate = ? AND project IS ?;

-- name: contested_objects
-- Of these (object, project): those that something replaces, or with a use that was closed.
SELECT o, j FROM (
    SELECT json_extract(value, '$[0]') AS o, json_extract(value, '$[1]') AS j FROM json_each(:keys)
)
WHERE EXISTS (SELECT 1 FROM relations r WHERE r.object = o AND r.predicate = 'replaces' AND r.project IS j)
    OR EXISTS (
        SELECT 1 FROM relations r INDEXED BY relations_closed_object
        WHERE r.object = o AND r.closed_at IS NOT NULL AND r.predicate = 'uses' AND r.project IS j
    );

-- name: facts_of_object
-- What decides about the uses of one object in a project.
SELECT row, predicate, object, valid_from, closed_at FROM relations
WHERE object = ? AND predicate IN ('uses', 'replaces') AND project IS ?;

-- name: get_memories
-- Memories among these ids.
SELECT {memory} WHERE m.id IN (SELECT value FROM json_each(:ids));

-- name: recent_memories
-- The newest memories in scope, undated last.
WITH newest AS (
    SELECT m.row FROM memories m WHERE {scope} ORDER BY m.at DESC, m.row DESC LIMIT :limit
)
SELECT {memory} JOIN newest w ON w.row = m.row ORDER BY m.at DESC, m.row DESC;

-- name: memories_near
-- The dated memories in scope nearest to an instant, on both sides of it, by time.
WITH near AS (
    SELECT row FROM (
        SELECT m.row FROM memories m WHERE {scope} AND m.at <= :instant ORDER BY m.at DESC, m.row DESC LIMIT :limit
    )
    UNION ALL
    SELECT row FROM (
        SELECT m.row FROM memories m WHERE {scope} AND m.at > :instant ORDER BY m.at, m.row LIMIT :limit
    )
)
SELECT {memory} JOIN near w ON w.row = m.row ORDER BY m.at, m.row;

-- name: find_statements
-- Statements of these kinds in scope, newest first, in the order of their text.
WITH newest AS (
    SELECT s.memory, s.place FROM statements s JOIN memories m ON m.row = s.memory
    WHERE s.kind IN (SELECT value FROM json_each(:wanted)) AND {scope}
    ORDER BY m.at DESC, m.row DESC, s.place LIMIT :limit
)
SELECT s.content, {memory}
JOIN newest w ON w.memory = m.row
JOIN statements s ON s.memory = w.memory AND s.place = w.place
ORDER BY m.at DESC, m.row DESC, s.place;

-- name: forgettable
-- What forgetting must know of the memories among these ids.
SELECT m.row, m.id, m.session, m.project, b.text
FROM memories m JOIN bodies b ON b.row = m.row
WHERE m.id IN (SELECT value FROM json_each(:ids));

-- name: add_tombstone
-- Hold a memory back from now on.
INSERT INTO tombstones (id, text_hash, reason, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: entities_of
-- Entities that these rows speak of.
SELECT entity FROM mentions WHERE memory IN (SELECT value FROM json_each(:rows))
UNION SELECT subject FROM relations WHERE evidence IN (SELECT value FROM json_each(:rows))
UNION SELECT object FROM relations WHERE evidence IN (SELECT value FROM json_each(:rows));

-- name: unused_entities
-- Fragment: those of these entities that nothing speaks of any more and no client created.
SELECT e.row FROM json_each(:rows) k JOIN entities e ON e.row = k.value
WHERE e.declared IS NULL
    AND NOT EXISTS (SELECT 1 FROM mentions x WHERE x.entity = e.row)
    AND NOT EXISTS (SELECT 1 FROM relations r WHERE r.subject = e.row)
    AND NOT EXISTS (SELECT 1 FROM relations r WHERE r.object = e.row)

-- name: unindex_unused_nodes
-- Take the names of entities that are about to go out of their index.
DELETE FROM nodes_fts WHERE rowid IN ({unused_entities});

-- name: drop_unused_entities
-- Those of these entities that nothing speaks of any more and no client created.
DELETE FROM entities WHERE row IN ({unused_entities});

-- name: match_all
-- The best units of the whole index.
SELECT rowid FROM units_fts WHERE units_fts MATCH :match ORDER BY rank LIMIT :limit;

-- name: match_scope
-- The best units in scope.  bm25() by name is worked out for those in scope only, `rank` for every match.
SELECT f.rowid FROM units_fts f CROSS JOIN memories m ON m.row = f.rowid
WHERE f.units_fts MATCH :match AND {scope} ORDER BY bm25(units_fts, 1.4, 1.0) LIMIT :limit;

-- name: unit
-- Fragment: the columns of a unit and the tables they come from.
m.row, m.id, n.id, m.place, u.prompt, u.reply, u.length
FROM memories m JOIN units u ON u.row = m.row JOIN sessions n ON n.row = m.session

-- name: units_by_row
-- These units.
SELECT {unit} WHERE m.row IN (SELECT value FROM json_each(:rows));

-- name: units_by_id
-- The units of these memories, in the order asked.
SELECT {unit} JOIN json_each(:ids) k ON k.value = m.id ORDER BY k.key;

-- name: units_around
-- Units in these stretches (session id, first place, last place), by session and place.
SELECT {unit} JOIN json_each(:stretches) w
    ON n.id = json_extract(w.value, '$[0]')
    AND m.place BETWEEN json_extract(w.value, '$[1]') AND json_extract(w.value, '$[2]')
ORDER BY w.key, m.place;

-- name: match_sessions
-- The best session texts in scope, raw BM25 (higher is better).
SELECT n.id, -bm25(session_fts) AS score FROM session_fts f
CROSS JOIN session_texts t ON t.row = f.rowid
CROSS JOIN sessions n ON n.row = t.session
WHERE f.session_fts MATCH :match AND {scope} ORDER BY score DESC LIMIT :limit;

-- name: match_touched
-- The memories in scope whose tools touched something of that name, raw BM25 (higher is better).
SELECT m.id, -bm25(touched_fts) AS score FROM touched_fts f CROSS JOIN memories m ON m.row = f.rowid
WHERE f.touched_fts MATCH :match AND {scope} ORDER BY score DESC LIMIT :limit;

-- name: frequency
-- In how many units each of these terms stands.
SELECT v.term, v.doc FROM json_each(:terms) j JOIN units_vocab v ON v.term = j.value;

-- name: session_frequency
-- In how many session texts each of these terms stands.
SELECT v.term, v.doc FROM json_each(:terms) j JOIN session_vocab v ON v.term = j.value;

-- name: counted_up_to
-- In how many units a term stands, counted no further than that.
SELECT count(*) FROM (SELECT 1 FROM units_fts WHERE units_fts MATCH :match LIMIT :most);

-- name: totals
-- Units and tokens of the whole index.
SELECT units, tokens FROM totals;

-- name: index_state
-- FTS5's structure record (row 10 of its data): it differs after every write to the index.
SELECT block FROM units_fts_data WHERE id = 10;

-- name: session_index_state
-- Likewise, of the index of sessions.
SELECT block FROM session_fts_data WHERE id = 10;

-- name: space
-- A vector space.
SELECT row, dimension, mean, deviation, pairs FROM spaces WHERE name = ?;

-- name: add_space
-- A new vector space.
INSERT INTO spaces (name, dimension) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET dimension = ifnull(dimension, excluded.dimension);

-- name: calibrate
-- The calibration of a space.
INSERT INTO spaces (name, mean, deviation, pairs) VALUES (?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET mean = excluded.mean, deviation = excluded.deviation, pairs = excluded.pairs;

-- name: new_vectors
-- Vectors of a space beyond a row.
SELECT row, memory, data FROM vectors WHERE space = ? AND row > ? ORDER BY row;

-- name: vector_state
-- What tells whether a copy of the vectors, or of their codes, is still right.
SELECT changes, removals FROM totals;

-- name: count_change
-- Blocks of codes change once more.
UPDATE totals SET changes = changes + 1;

-- name: count_vector_blocks
-- Blocks of a space.
SELECT count(*) FROM vector_blocks WHERE space = ?;

-- name: changed_vector_blocks
-- Blocks of a space that changed since, in order.
SELECT block, data FROM vector_blocks WHERE space = ? AND changed > ? ORDER BY block;

-- name: vector_block
-- One block.
SELECT data FROM vector_blocks WHERE space = ? AND block = ?;

-- name: put_vector_block
-- A block in place of the former one.
INSERT INTO vector_blocks (space, block, changed, data) VALUES (?, ?, (SELECT changes FROM totals), ?)
ON CONFLICT (space, block) DO UPDATE SET changed = excluded.changed, data = excluded.data;

-- name: wrong_vector_blocks
-- Blocks that are not what their vectors make of them.
WITH made AS (
    SELECT space, row / 256 AS block, coded(row % 256, memory, data) AS data FROM vectors GROUP BY space, row / 256
)
SELECT count(*) FROM (
    SELECT 1 FROM made m LEFT JOIN vector_blocks b ON b.space = m.space AND b.block = m.block
    WHERE b.data IS NOT m.data
    UNION ALL
    SELECT 1 FROM vector_blocks b LEFT JOIN made m ON m.space = b.space AND m.block = b.block
    WHERE m.data IS NULL AND b.data <> zeroblob(length(b.data))
);

-- name: vectors_by_row
-- Vectors of a space in these rows, one behind the other, and the rows of their memories, in the same order.
-- One row, not a thousand: between two rows another thread may take the interpreter for milliseconds.
SELECT json_group_array(v.memory), CAST(group_concat(v.data, '') AS BLOB)
FROM json_each(:rows) k CROSS JOIN vectors v ON v.row = k.value
WHERE v.space = :space;

-- name: vectors_by_row_in_scope
-- Likewise, of memories in scope.
SELECT json_group_array(v.memory), CAST(group_concat(v.data, '') AS BLOB)
FROM json_each(:rows) k CROSS JOIN vectors v ON v.row = k.value
CROSS JOIN memories m ON m.row = v.memory
WHERE v.space = :space AND {scope};

-- name: vectors_by_memory
-- All vectors of a space that these rows of memories have, in the order in which they were stored.
SELECT json_group_array(memory), CAST(group_concat(data, '') AS BLOB) FROM (
    SELECT v.memory, v.data FROM json_each(:memories) k CROSS JOIN vectors v ON v.memory = k.value
    WHERE v.space = :space ORDER BY v.row
);

-- name: rows_in_scope
-- Rows of the memories in scope.
SELECT m.row FROM memories m WHERE {scope};

-- name: ids_by_row
-- Ids of these rows.
SELECT row, id FROM memories WHERE row IN (SELECT value FROM json_each(:rows));

-- name: owners
-- Sessions of these memories.
SELECT m.id, n.id FROM memories m JOIN sessions n ON n.row = m.session
WHERE m.id IN (SELECT value FROM json_each(:ids));

-- name: vectors_of
-- Vectors of these memories in a space.
SELECT m.id, v.data FROM json_each(:ids) k
JOIN memories m ON m.id = k.value
JOIN vectors v ON v.memory = m.row AND v.space = :space
ORDER BY k.key;

-- name: pending
-- Memories without vectors of a space, oldest first.
WITH oldest AS (
    SELECT m.row FROM memories m
    WHERE NOT EXISTS (
        SELECT 1 FROM vectors v JOIN spaces s ON s.row = v.space WHERE v.memory = m.row AND s.name = :space
    )
    ORDER BY m.at, m.row LIMIT :limit
)
SELECT {memory} JOIN oldest w ON w.row = m.row ORDER BY m.at, m.row;

-- name: coverage
-- Space, and how many memories have vectors of it: each has one first window, and the index tells those apart.
SELECT s.name, count(*) FROM vectors v JOIN spaces s ON s.row = v.space
WHERE v.window = 0 GROUP BY s.row ORDER BY s.name;

-- name: first_windows
-- Rows of the first windows of a space.
SELECT v.row FROM vectors v JOIN spaces s ON s.row = v.space WHERE s.name = ? AND v.window = 0 ORDER BY v.row;

-- name: drop_space_vectors
-- A memory's vectors of one space.
DELETE FROM vectors WHERE space = ? AND memory = ?;

-- name: add_vector
-- One window's vector.
INSERT INTO vectors (row, space, memory, window, data) VALUES (?, ?, ?, ?, ?);

-- name: find_entities
-- Entities with one of these keys, in the order of the keys.
SELECT {entity} FROM json_each(:keys) k
JOIN entity_names x ON x.key = k.value
JOIN entities e ON e.row = x.entity
GROUP BY e.row ORDER BY min(k.key), e.row;

-- name: all_keys
-- The key of every name.
SELECT DISTINCT key FROM entity_names ORDER BY key;

-- name: names_state
-- What tells whether a copy of the names is still right.
SELECT names FROM totals;

-- name: edges
-- Facts at these entities, best supported first, then newest; one relation speaks for equal ones.
-- Grouped in the order of the indexes first: an entity may have a hundred thousand relations and few facts.
WITH ends AS (SELECT row FROM entities WHERE id IN (SELECT value FROM json_each(:ids))),
near AS (
    SELECT r.row, r.subject, r.predicate, r.label, r.object, r.ends,
        count(*) AS support, max(ifnull(r.valid_from, -9e18)) AS newest
    FROM relations r WHERE r.subject IN (SELECT row FROM ends) AND {scope}
    GROUP BY r.subject, r.predicate, r.project, r.object, r.label, r.ends
    UNION ALL
    SELECT r.row, r.subject, r.predicate, r.label, r.object, r.ends,
        count(*) AS support, max(ifnull(r.valid_from, -9e18)) AS newest
    FROM relations r
    WHERE r.object IN (SELECT row FROM ends) AND r.subject NOT IN (SELECT row FROM ends) AND {scope}
    GROUP BY r.object, r.predicate, r.project, r.subject, r.label, r.ends
),
facts AS (
    SELECT sum(support) AS support, max(newest) AS newest, row FROM near
    GROUP BY subject, predicate, label, object, ends
    ORDER BY support DESC, newest DESC, row LIMIT :limit
)
SELECT {relation} JOIN facts f ON f.row = r.row ORDER BY f.support DESC, f.newest DESC, r.row;

-- name: degrees
-- Distinct live facts at each entity, counted up to a number.
SELECT e.id, min(:most, (
    SELECT count(*) FROM (
        SELECT * FROM (
            SELECT DISTINCT r.subject, r.predicate, r.label, r.object FROM relations r
            WHERE r.subject = e.row AND {scope} LIMIT :most
        )
        UNION
        SELECT * FROM (
            SELECT DISTINCT r.subject, r.predicate, r.label, r.object FROM relations r
            WHERE r.object = e.row AND {scope} LIMIT :most
        )
    )
))
FROM entities e WHERE e.id IN (SELECT value FROM json_each(:ids));

-- name: mentions_of
-- The newest memories in scope that mention an entity.
SELECT m.id FROM mentions x
JOIN entities e ON e.row = x.entity
JOIN memories m ON m.row = x.memory
WHERE e.id = :entity AND {scope} ORDER BY x.at DESC, x.memory DESC LIMIT :limit;

-- name: spread
-- Memories and sessions that mention each entity.
SELECT e.id, count(*), count(DISTINCT m.session)
FROM entities e JOIN mentions x ON x.entity = e.row JOIN memories m ON m.row = x.memory
WHERE e.id IN (SELECT value FROM json_each(:ids)) GROUP BY e.row;

-- name: mentioned
-- Entities that each memory mentions, in order of appearance.
SELECT m.id, {entity}
FROM json_each(:ids) k
JOIN memories m ON m.id = k.value
JOIN mentions x ON x.memory = m.row
JOIN entities e ON e.row = x.entity
ORDER BY k.key, x.place;

-- name: evidence
-- Relations in scope that rest on each memory.
SELECT {relation}
WHERE r.evidence IN (SELECT row FROM memories WHERE id IN (SELECT value FROM json_each(:ids))) AND {scope}
ORDER BY r.row;

-- name: ledger_columns
-- Fragment: the columns of the ledger.
path, format, size, mtime_ns, inode, head_hash, offset, line, session, last_seq, used, skipped, error

-- name: ledger_entry
-- The entry of a path.
SELECT {ledger_columns} FROM ledger WHERE path = ?;

-- name: ledger_entries
-- All entries, by path.
SELECT {ledger_columns} FROM ledger ORDER BY path;

-- name: put_ledger_entry
-- An entry in place of the path's former one.
INSERT OR REPLACE INTO ledger ({ledger_columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: counts
-- One number each.
SELECT
    (SELECT count(*) FROM memories),
    (SELECT count(*) FROM sessions),
    (SELECT count(*) FROM projects),
    (SELECT count(*) FROM relations WHERE ends IS NOT NULL AND ends <= :now),
    (SELECT count(*) FROM tombstones),
    (SELECT count(*) FROM ledger),
    (SELECT min(at) FROM memories),
    (SELECT max(at) FROM memories),
    (SELECT count(*) FROM entities WHERE kind IS NULL AND label IS NOT NULL)
        + (SELECT count(*) FROM relations WHERE predicate IS NULL);

-- name: memory_counts
-- Memories by kind.
SELECT kind, count(*) FROM memories GROUP BY kind ORDER BY kind;

-- name: entity_counts
-- Entities by kind; those without one are other (labelled by a client) or unresolved (only named by relations).
SELECT ifnull(kind, CASE WHEN label IS NULL THEN 'unresolved' ELSE 'other' END) AS what, count(*)
FROM entities GROUP BY what ORDER BY what;

-- name: relation_counts
-- Live relations by predicate.
SELECT ifnull(predicate, 'other') AS what, count(*) FROM relations
WHERE ends IS NULL OR ends > :now GROUP BY what ORDER BY what;

-- name: statement_counts
-- Statements by kind.
SELECT kind, count(*) FROM statements GROUP BY kind ORDER BY kind;

-- name: dump_projects
-- Projects in the order they were met.
SELECT id, name, root, remote, root_commit FROM projects ORDER BY row;

-- name: dump_entities
-- Entities in the order they were met.
SELECT {entity} FROM entities e ORDER BY e.row;

-- name: dump_memories
-- Memories in the order they were met, with what hangs on them.
SELECT m.seq, m.part, hex(m.digest), (
    SELECT json_group_array(json(content)) FROM (SELECT content FROM statements WHERE memory = m.row ORDER BY place)
), (
    SELECT json_group_array(id) FROM (
        SELECT e.id FROM mentions x JOIN entities e ON e.row = x.entity WHERE x.memory = m.row ORDER BY x.place, e.row
    )
), {memory} ORDER BY m.row;

-- name: dump_relations
-- Relations in the order they were met, each after its end as stated.
SELECT r.valid_to, {relation} ORDER BY r.row;

-- name: dump_tombstones
-- Tombstones by id.
SELECT id, text_hash, reason, at FROM tombstones ORDER BY id;

-- name: dangling_texts
-- Memories without their text or tokens.
SELECT count(*) FROM memories m
WHERE NOT EXISTS (SELECT 1 FROM bodies b WHERE b.row = m.row) OR NOT EXISTS (SELECT 1 FROM units u WHERE u.row = m.row);

-- name: wrong_totals
-- Whether the running totals differ from the tables.
SELECT 1 FROM totals t, (SELECT count(*) AS units, ifnull(sum(length), 0) AS tokens FROM units) u
WHERE t.units <> u.units OR t.tokens <> u.tokens;

-- name: wrong_dimensions
-- Vectors that do not have their space's dimension.
SELECT count(*) FROM vectors v JOIN spaces s ON s.row = v.space WHERE length(v.data) <> 4 * s.dimension;

-- name: add_parcel
-- A parcel that was never queued.
INSERT INTO outbox (target, key, kind, payload, hashes, memory, state, queued_at, attempts)
VALUES (:target, :key, :kind, :payload, :hashes, :memory, 'waiting', :at, 0)
ON CONFLICT (target, key) DO NOTHING;

-- name: change_parcel
-- A parcel whose payload differs from what was queued: a claim on the old payload ends.
UPDATE outbox SET
    kind = :kind, payload = :payload, hashes = :hashes, memory = :memory,
    queued_at = CASE WHEN state = 'waiting' THEN queued_at ELSE :at END, state = 'waiting',
    claim = NULL, lease = NULL, attempts = 0, error = NULL
WHERE target = :target AND key = :key AND payload <> :payload;

-- name: queue_again
-- A parcel that was sent, once more.
UPDATE outbox SET state = 'waiting', queued_at = :at, attempts = 0, error = NULL
WHERE target = :target AND key = :key AND state = 'sent';

-- name: sent_parcels
-- Which of these (target, key, payload) were sent just so: their places in the list.
SELECT j.key FROM json_each(:parcels) j JOIN outbox o
ON o.target = json_extract(j.value, '$[0]') AND o.key = json_extract(j.value, '$[1]')
    AND o.payload = json_extract(j.value, '$[2]') AND o.state = 'sent';

-- name: withdraw_parcels
-- What waits for a target under other keys.
DELETE FROM outbox
WHERE target = :target AND (state = 'waiting' OR (state = 'claimed' AND lease <= :at))
    AND key NOT IN (SELECT value FROM json_each(:keys));

-- name: drop_orphaned_parcels
-- What is to be sent of memories that are gone.
DELETE FROM outbox
WHERE target = :target AND (state = 'waiting' OR (state = 'claimed' AND lease <= :at))
    AND memory IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = outbox.memory);

-- name: free_parcels
-- What may be sent to a target now, oldest first.
SELECT row, key, kind, payload, hashes, memory, attempts, remote_id FROM outbox
WHERE target = :target AND state <> 'sent' AND (state = 'waiting' OR lease <= :at)
    AND (:keys IS NULL OR key IN (SELECT value FROM json_each(:keys)))
ORDER BY queued_at, row LIMIT :limit;

-- name: claim_parcel
-- One process takes a parcel.
UPDATE outbox SET state = 'claimed', claim = :claim, lease = :lease, attempts = attempts + 1 WHERE row = :row;

-- name: add_pushed
-- Texts of a parcel that is about to be sent.
INSERT INTO pushed (target, text_hash, memory) SELECT :target, value, :memory FROM json_each(:hashes) WHERE true
ON CONFLICT (target, text_hash) DO UPDATE SET memory = ifnull(excluded.memory, memory);

-- name: confirm_parcel
-- What a claim took was sent.
UPDATE outbox SET
    state = 'sent', sent_at = :at, remote_id = ifnull(:remote, remote_id), lease = NULL, claim = NULL, error = NULL
WHERE claim = :claim;

-- name: release_parcel
-- What a claim took was not sent.
UPDATE outbox SET state = 'waiting', error = :error, lease = NULL, claim = NULL WHERE claim = :claim;

-- name: backlog
-- How it stands with each target.
SELECT target,
    sum(state = 'waiting' OR (state = 'claimed' AND lease <= :at)),
    sum(state = 'claimed' AND lease > :at),
    sum((state = 'waiting' OR (state = 'claimed' AND lease <= :at)) AND attempts > 0),
    sum(state = 'sent'),
    min(CASE WHEN state = 'waiting' OR (state = 'claimed' AND lease <= :at) THEN queued_at END),
    max(sent_at),
    (
        SELECT x.error FROM outbox x
        WHERE x.target = outbox.target AND x.state = 'waiting' AND x.error IS NOT NULL ORDER BY x.row DESC LIMIT 1
    )
FROM outbox GROUP BY target ORDER BY target;

-- name: pushed_links
-- Links that a client wrote, each once, in the order they came.
SELECT {links} WHERE r.evidence IS NULL
GROUP BY r.subject, r.predicate, r.label, r.object ORDER BY min(r.row);

-- name: pushed_nodes
-- Entities that a client created or that something was observed of, in the order they came.
SELECT e.row, {node} FROM entities e
WHERE {resolved} AND (e.declared IS NOT NULL OR EXISTS (SELECT 1 FROM observations o WHERE o.entity = e.row))
ORDER BY e.row;

-- name: pushed_observations
-- What was observed of entities: the memory that holds it, the entity's name, the words.
SELECT m.id, (SELECT n.name FROM entity_names n WHERE n.entity = o.entity ORDER BY n.place LIMIT 1), o.text
FROM observations o JOIN memories m ON m.row = o.memory ORDER BY o.row;

-- name: pushed_texts
-- Which of these texts went to a target.
SELECT text_hash, memory FROM pushed
WHERE target = :target AND text_hash IN (SELECT value FROM json_each(:hashes));

-- name: node
-- Fragment: the columns of a node: display name, type as given, its observations as a JSON list, oldest first.
(SELECT n.name FROM entity_names n WHERE n.entity = e.row ORDER BY n.place LIMIT 1),
coalesce(e.label, e.kind, ''),
(SELECT json_group_array(text) FROM (SELECT o.text FROM observations o WHERE o.entity = e.row ORDER BY o.row))

-- name: resolved
-- Fragment: an entity that somebody described, not one that was only named.
(e.kind IS NOT NULL OR e.label IS NOT NULL)

-- name: nodes_by_key
-- Entities that somebody described with one of these keys, in the order of the keys.
SELECT e.row, {node}
FROM json_each(:keys) k
JOIN entity_names x ON x.key = k.value
JOIN entities e ON e.row = x.entity
WHERE {resolved} AND {scope}
GROUP BY e.row ORDER BY min(k.key), e.row;

-- name: nodes_by_row
-- Nodes of these rows, in their order.
SELECT e.row, {node} FROM json_each(:rows) k JOIN entities e ON e.row = k.value ORDER BY k.key;

-- name: list_nodes
-- Nodes in scope: those that a client created first.
SELECT e.row, {node} FROM entities e
WHERE {resolved} AND {scope}
ORDER BY e.declared IS NULL, e.declared, e.row LIMIT :limit OFFSET :offset;

-- name: count_nodes
-- How many nodes are in scope.
SELECT count(*) FROM entities e WHERE {resolved} AND {scope};

-- name: match_nodes
-- Nodes in scope by the words of their names and types: the better half of what `search_nodes` weighs.
SELECT f.rowid, f.names, f.type FROM nodes_fts f
JOIN entities e ON e.row = f.rowid
WHERE nodes_fts MATCH :match AND {resolved} AND {scope}
ORDER BY bm25(nodes_fts, 2.0, 1.0) LIMIT :limit;

-- name: match_observations
-- Nodes in scope by the words of their observations.
SELECT o.entity, u.prompt FROM units_fts f
JOIN observations o ON o.memory = f.rowid
JOIN units u ON u.row = f.rowid
JOIN entities e ON e.row = o.entity
WHERE units_fts MATCH :match AND {resolved} AND {scope}
ORDER BY f.rank LIMIT :limit;

-- name: links
-- Fragment: the columns of a link, and the tables they come from.
a.id, r.predicate, z.id, r.label,
(SELECT n.name FROM entity_names n WHERE n.entity = a.row ORDER BY n.place LIMIT 1),
(SELECT n.name FROM entity_names n WHERE n.entity = z.row ORDER BY n.place LIMIT 1)
FROM relations r
JOIN entities a ON a.row = r.subject
JOIN entities z ON z.row = r.object

-- name: list_links
-- Links in scope, each once, in the order they came.
SELECT {links} WHERE {scope}
GROUP BY r.subject, r.predicate, r.label, r.object ORDER BY min(r.row) LIMIT :limit OFFSET :offset;

-- name: links_at
-- Links in scope with at least one end among these rows, each once, in the order they came.
SELECT {links}
WHERE r.row IN (
    SELECT row FROM relations WHERE subject IN (SELECT value FROM json_each(:rows))
    UNION SELECT row FROM relations WHERE object IN (SELECT value FROM json_each(:rows))
) AND {scope}
GROUP BY r.subject, r.predicate, r.label, r.object ORDER BY min(r.row);

-- name: count_links
-- How many links are in scope.
SELECT count(*) FROM (SELECT 1 FROM relations r WHERE {scope} GROUP BY r.subject, r.predicate, r.label, r.object);

-- name: unresolved
-- Names that a client's links point to and nobody described.
SELECT (SELECT n.name FROM entity_names n WHERE n.entity = e.row ORDER BY n.place LIMIT 1) FROM entities e
WHERE e.kind IS NULL AND e.label IS NULL
    AND (
        EXISTS (SELECT 1 FROM relations r WHERE r.subject = e.row AND r.evidence IS NULL)
        OR EXISTS (SELECT 1 FROM relations r WHERE r.object = e.row AND r.evidence IS NULL)
    )
ORDER BY e.row LIMIT :limit;

-- name: written_links
-- Links that a client wrote between entities of these ids: subject, label, object.
SELECT a.id, r.label, z.id FROM relations r
JOIN entities a ON a.row = r.subject
JOIN entities z ON z.row = r.object
WHERE r.evidence IS NULL
    AND a.id IN (SELECT value FROM json_each(:ids)) AND z.id IN (SELECT value FROM json_each(:ids));

-- name: named
-- Entities shown under these names, a client's first, then those that somebody described.
SELECT k.value, e.id, e.row, e.declared, e.kind, e.label FROM json_each(:keys) k
JOIN entity_names x ON x.key = k.value AND x.place = 0
JOIN entities e ON e.row = x.entity
ORDER BY k.key, e.declared IS NULL, coalesce(e.kind, e.label) IS NULL, e.row;

-- name: unbury_names
-- Entities with these names, of whatever kind, may come back.
DELETE FROM buried WHERE what = 'entity'
    AND substr(key, instr(key, ':') + 1) IN (SELECT value FROM json_each(:keys));

-- name: declare
-- A client created this entity, of this type.
UPDATE entities SET declared = ?, kind = ?, label = ? WHERE row = ?;

-- name: keep_declared
-- A client spoke of this entity: it stays when nothing else speaks of it.
UPDATE entities SET declared = ifnull(declared, ?) WHERE row = ?;

-- name: observed
-- What is observed of an entity: text and the memory that holds it.
SELECT o.text, m.id FROM observations o JOIN memories m ON m.row = o.memory WHERE o.entity = ? ORDER BY o.row;

-- name: add_observation
-- A memory becomes an observation of an entity.
INSERT INTO observations (entity, memory, text, at) SELECT ?1, m.row, ?2, ?3 FROM memories m WHERE m.id = ?4
ON CONFLICT DO NOTHING;

-- name: drop_observations
-- Observations of an entity with these texts.
DELETE FROM observations WHERE entity = :entity AND text IN (SELECT value FROM json_each(:texts));

-- name: only_observed
-- Of these memories: those that are observations of nothing any more.
SELECT m.id FROM memories m
WHERE m.id IN (SELECT value FROM json_each(:ids)) AND NOT EXISTS (SELECT 1 FROM observations o WHERE o.memory = m.row);

-- name: relations_between
-- Relations of these ends and this label, to be deleted.
SELECT row, subject, predicate, object, project FROM relations
WHERE subject = ? AND object = ? AND label = ?;

-- name: relations_of_entity
-- Relations at an entity.
SELECT row, subject, predicate, object, project FROM relations WHERE subject = ?1
UNION SELECT row, subject, predicate, object, project FROM relations WHERE object = ?1;

-- name: drop_relations_by_row
-- These relations.
DELETE FROM relations WHERE row IN (SELECT value FROM json_each(:rows));

-- name: bury
-- Keep a deleted entity or relation away from now on.
INSERT INTO buried (what, key, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at;

-- name: unbury
-- What is written on purpose lives again.
DELETE FROM buried WHERE what = :what AND key IN (SELECT value FROM json_each(:keys));

-- name: buried_among
-- Of these keys: those that were deleted.
SELECT key FROM buried WHERE what = :what AND key IN (SELECT value FROM json_each(:keys));

-- name: lift_tombstones
-- What is said again on purpose is remembered again.
DELETE FROM tombstones
WHERE id IN (SELECT value FROM json_each(:ids)) OR text_hash IN (SELECT value FROM json_each(:hashes));

-- name: texts
-- Rows and texts of memories in scope, newest first; undated ones last.
SELECT m.row, b.text FROM memories m JOIN bodies b ON b.row = m.row WHERE {scope} ORDER BY m.at DESC, m.row DESC;

-- name: memories_by_row
-- Memories of these rows, in the order of the rows.
SELECT {memory} JOIN json_each(:rows) k ON k.value = m.row ORDER BY k.key;

-- name: memories_of_session
-- Memories of a session, in order.
SELECT {memory} WHERE n.id = :session ORDER BY m.seq, m.part, m.row;

-- name: dump_declared
-- Entities that a client created.
SELECT id, declared FROM entities WHERE declared IS NOT NULL ORDER BY declared, row;

-- name: dump_observations
-- What was observed of entities.
SELECT e.id, m.id, o.text, o.at FROM observations o
JOIN entities e ON e.row = o.entity
JOIN memories m ON m.row = o.memory
ORDER BY o.row;

-- name: restore_declared
-- A client created this entity, unless that is known.
UPDATE entities SET declared = ? WHERE id = ? AND declared IS NULL;

-- name: restore_observation
-- An observation, unless it is there.
INSERT INTO observations (entity, memory, text, at)
SELECT e.row, m.row, ?1, ?2 FROM entities e, memories m WHERE e.id = ?3 AND m.id = ?4
ON CONFLICT DO NOTHING;

-- name: restore_buried
-- Keep a deleted thing away, unless that is known.
INSERT INTO buried (what, key, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: words_of
-- The words of these memories: their texts, and the observations that they are.
SELECT b.text FROM memories m JOIN bodies b ON b.row = m.row WHERE m.id IN (SELECT value FROM json_each(:ids))
UNION SELECT o.text FROM memories m JOIN observations o ON o.memory = m.row
WHERE m.id IN (SELECT value FROM json_each(:ids));

-- name: unsend
-- What was not sent yet of these memories is not sent.
DELETE FROM outbox WHERE memory IN (SELECT value FROM json_each(:ids)) AND state <> 'sent';

-- name: empty_parcels
-- That a memory was sent is still known, but not its words.
UPDATE outbox SET payload = json_object() WHERE memory IN (SELECT value FROM json_each(:ids));

-- name: within
-- Of these memories: those in scope.
SELECT m.id FROM memories m WHERE m.id IN (SELECT value FROM json_each(:ids)) AND {scope};
