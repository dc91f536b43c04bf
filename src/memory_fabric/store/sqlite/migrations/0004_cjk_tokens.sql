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
