-- In how many session texts a word stands, so that common ones need not be scored.
CREATE VIRTUAL TABLE IF NOT EXISTS session_vocab USING fts5vocab ('session_fts', 'row');
