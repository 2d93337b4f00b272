CREATE TABLE item(id INTEGER PRIMARY KEY, kind INTEGER, price REAL, name TEXT);
CREATE TABLE sale(id INTEGER PRIMARY KEY, item INTEGER, amount INTEGER, day INTEGER);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @ROWS@ / 10)
INSERT INTO item SELECT i, (i * 7919) % 101, (i * 31 % 1000) / 10.0,
  'item-' || ((i * 104729) % 99991) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @ROWS@)
INSERT INTO sale SELECT i, 1 + (i * 48271) % (@ROWS@ / 10), 1 + i % 13, (i * 16807) % 365 FROM n;
COMMIT;
CREATE INDEX item_kind ON item(kind);
CREATE INDEX sale_item ON sale(item, day);
CREATE TRIGGER sale_bound AFTER UPDATE ON sale WHEN new.amount > 12
BEGIN
  UPDATE sale SET amount = 12 WHERE id = new.id;
END;
ANALYZE;
SELECT kind, count(*), sum(amount * price) FROM item JOIN sale ON sale.item = item.id
  GROUP BY kind ORDER BY 3 DESC LIMIT 5;
SELECT name, total FROM (SELECT item.name AS name, sum(amount) AS total
  FROM sale JOIN item ON item.id = sale.item WHERE day BETWEEN 100 AND 200 GROUP BY item.id)
  ORDER BY total DESC, name LIMIT 5;
SELECT count(*) FROM item WHERE name LIKE '%99%' OR upper(name) GLOB '*-1?3*';
UPDATE sale SET amount = amount + 1 WHERE day % 7 = 3;
SELECT day, sum(amount) OVER (ORDER BY day ROWS 3 PRECEDING)
  FROM (SELECT day, sum(amount) AS amount FROM sale GROUP BY day) LIMIT 5;
WITH RECURSIVE fibonacci(a, b, n) AS (SELECT 0, 1, 0 UNION ALL
  SELECT b, (a + b) % 1000003, n + 1 FROM fibonacci WHERE n < @ROWS@ / 2)
SELECT max(a), count(*) FROM fibonacci;
SELECT group_concat(DISTINCT substr(hex(name), 11, 2)) FROM (SELECT name FROM item ORDER BY name
  LIMIT 500);
DELETE FROM sale WHERE item IN (SELECT id FROM item WHERE kind < 20);
SELECT count(*), json_group_array(kind) FROM (SELECT DISTINCT kind FROM item WHERE kind > 90
  ORDER BY kind);
PRAGMA integrity_check;
