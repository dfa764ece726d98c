-- The least that plain sqlite3 does for a recall: a table of what moved which batch, and one statement over all levels.

-- name: schema
CREATE TABLE moved (lot, kind, process, document, quantity, date);
CREATE INDEX moved_lot ON moved (lot);
CREATE INDEX moved_process ON moved (process, kind);

-- name: insert
INSERT INTO moved VALUES (?, ?, ?, ?, ?, ?);

-- name: recall
WITH RECURSIVE reached (lot) AS (
  VALUES (?)
  UNION
  SELECT made.lot FROM reached
  JOIN moved used ON used.lot = reached.lot AND used.kind = 'used'
  JOIN moved made ON made.process = used.process AND made.kind = 'made'
)
SELECT moved.* FROM reached JOIN moved ON moved.lot = reached.lot;
