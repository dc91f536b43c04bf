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
