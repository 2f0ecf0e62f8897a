-- SQLite's own
SELECT strftime('%Y-%m', started) AS m, count(*) FROM visits GROUP BY m
SELECT date('now', '-30 days'), datetime(started, '+1 hour'), julianday(ended) - julianday(started) FROM visits
SELECT * FROM visits WHERE date(started) >= date('now', 'start of month')
SELECT unixepoch(started), time(started) FROM visits
SELECT CAST(strftime('%Y', born) AS INTEGER) FROM patients
SELECT printf('%.2f', cost), format('%d', id) FROM visits
SELECT group_concat(title, '; '), group_concat(DISTINCT title) FROM wards
SELECT total(cost), sum(cost) * 1.0 / count(*) FROM visits
SELECT instr(full_name, ' '), substr(full_name, 1, instr(full_name, ' ') - 1) FROM patients
SELECT json_extract(details, '$.a'), details ->> '$.a', details -> 'b' FROM visits
SELECT value FROM visits, json_each(visits.details)
SELECT j.key, j.value FROM visits v, json_each(v.details, '$.items') AS j
SELECT json_group_array(title), json_object('a', 1) FROM wards
SELECT hex(title), typeof(id), quote(title), unicode('a'), char(65) FROM wards
SELECT iif(beds > 5, 'a', 'b'), ifnull(title, ''), nullif(beds, 0) FROM wards
SELECT max(beds, 5), min(1, 2, 3) FROM wards
SELECT id, max(beds) FROM wards
SELECT title, count(*) FROM wards GROUP BY id
SELECT rowid, oid, _rowid_ FROM wards
SELECT wards.rowid FROM wards
SELECT x.rowid FROM (SELECT id FROM wards) AS x
SELECT * FROM sqlite_master WHERE type = 'table'
SELECT * FROM wards WHERE title GLOB 'A*'
SELECT * FROM wards WHERE title MATCH 'a'
SELECT * FROM wards WHERE title REGEXP 'a'
SELECT * FROM wards WHERE title LIKE 'a\_%' ESCAPE '\'
SELECT * FROM wards WHERE title = "Surgery" COLLATE NOCASE
SELECT * FROM wards WHERE title == 'a' AND beds <> 1
SELECT id FROM wards ORDER BY random() LIMIT 1
SELECT id FROM wards LIMIT 5 OFFSET 2
SELECT id FROM wards LIMIT -1 OFFSET 2
SELECT * FROM wards INDEXED BY ghost
SELECT * FROM wards NOT INDEXED
SELECT sum(beds) FILTER (WHERE beds > 5), count(*) FILTER (WHERE title IS NULL) FROM wards
SELECT row_number() OVER (PARTITION BY city ORDER BY weight DESC) FROM patients
SELECT sum(cost) OVER (ORDER BY started RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM visits
SELECT first_value(full_name) OVER (PARTITION BY ward_id ORDER BY salary DESC) FROM doctors
WITH t(n) AS (VALUES (1), (2)) SELECT n FROM t
WITH RECURSIVE d(x) AS (SELECT date('now') UNION ALL SELECT date(x, '+1 day') FROM d LIMIT 10) SELECT x FROM d
SELECT (SELECT x FROM (SELECT d.id AS x)) FROM doctors d
WITH c AS (SELECT d.id AS x) SELECT (SELECT x FROM c) FROM doctors d
WITH c AS (SELECT ghost FROM wards), e AS (SELECT * FROM c) SELECT 1
WITH c AS (SELECT ghost FROM wards), e AS (SELECT * FROM c) SELECT * FROM e
SELECT beds AS b FROM wards WHERE b > 5
SELECT beds AS b FROM wards GROUP BY b HAVING b > 5 ORDER BY b
SELECT beds + 1 AS b, b + 1 FROM wards
SELECT [title], `beds`, "id" FROM [wards]
SELECT 'title' FROM wards
SELECT title FROM 'wards'
SELECT title AS 'the title' FROM wards ORDER BY 'the title'
SELECT "no such word" FROM wards
SELECT wards."no such word" FROM wards
SELECT * FROM wards w JOIN doctors d USING (id)
SELECT * FROM wards JOIN doctors WHERE wards.id = doctors.ward_id
SELECT * FROM wards, doctors ON wards.id = doctors.ward_id
SELECT * FROM wards LEFT JOIN doctors
SELECT * FROM wards FULL JOIN doctors ON wards.id = doctors.ward_id
SELECT 5 / 2, 5 % 2, 1 << 2, 7 & 3, 7 | 8, ~1
SELECT TRUE, FALSE, NULL, x'4142'
SELECT CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP
SELECT now()
SELECT CAST(id AS TEXT), CAST(id AS VARCHAR(10)), CAST(id AS ghost) FROM wards
SELECT id::text FROM wards
SELECT date_trunc('month', started) FROM visits
SELECT extract(YEAR FROM born) FROM patients
SELECT to_char(born, 'YYYY') FROM patients
SELECT year(born) FROM patients
SELECT concat(full_name, city) FROM patients
SELECT left(full_name, 2) FROM patients
SELECT lpad(full_name, 2) FROM patients
SELECT len(full_name) FROM patients
SELECT stddev(cost) FROM visits
SELECT median(cost) FROM visits
SELECT string_agg(title, ',') FROM wards
SELECT array_agg(title) FROM wards
SELECT greatest(1, 2) FROM wards
SELECT isnull(title) FROM wards
SELECT title ISNULL, title NOTNULL, title NOT NULL FROM wards
SELECT dateadd(day, 1, born) FROM patients
SELECT power(2, 3), sqrt(4), floor(1.5), ceil(1.5), ln(2), log10(2), mod(5, 2), pi() FROM wards
SELECT changes(), last_insert_rowid(), sqlite_version()
SELECT EXISTS (SELECT 1 FROM wards), NOT EXISTS (SELECT 1 FROM wards)
SELECT CASE title WHEN 'a' THEN 1 WHEN 'b' THEN 2 ELSE 3 END FROM wards
SELECT count(*) > 5 FROM wards
SELECT avg(beds > 5) FROM wards
SELECT beds BETWEEN 1 AND 5 AND title IS NOT NULL FROM wards
SELECT * FROM wards WHERE id IN wards
SELECT * FROM wards WHERE id IN ()
SELECT * FROM wards WHERE id NOT IN (SELECT ward_id FROM doctors WHERE ward_id IS NOT NULL)
SELECT * FROM (SELECT * FROM wards LIMIT 5) UNION ALL SELECT * FROM wards
SELECT * FROM (SELECT * FROM wards LIMIT 5) t UNION ALL SELECT * FROM (SELECT * FROM wards LIMIT 5) u
SELECT id FROM wards LIMIT 5 UNION SELECT id FROM doctors
INSERT OR REPLACE INTO wards (id, title) VALUES (1, 'a')
INSERT INTO wards (id, title) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET title = excluded.title
UPDATE wards SET beds = (SELECT count(*) FROM doctors WHERE ward_id = wards.id)
DELETE FROM wards WHERE id IN (SELECT ward_id FROM doctors)
REPLACE INTO wards VALUES (1, 'a', 2)
PRAGMA table_info(wards)
SELECT name FROM pragma_table_info('wards')
SELECT name, type FROM pragma_table_info('wards')
SELECT name, ghost FROM pragma_table_info('wards')
SELECT p.name, p."notnull" FROM pragma_table_info('wards') AS p WHERE p.pk > 0
SELECT name FROM pragma_table_info WHERE arg = 'wards'
SELECT j.key, j.value, j.root FROM visits, json_each(visits.details) AS j
SELECT j.ghost FROM visits, json_each(visits.details) AS j
SELECT n FROM generate_series(1, 5) AS n
SELECT * FROM lower('a')
CREATE TABLE fresh AS SELECT ghost FROM wards
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN 1 + 1 PRECEDING AND CURRENT ROW) FROM doctors
WITH a AS (SELECT title REGEXP 'x' FROM wards), b AS (SELECT 1 AS x) SELECT x FROM b
WITH a AS (SELECT title REGEXP 'x' FROM wards), b AS (SELECT 1 AS x FROM a) SELECT x FROM b
WITH a AS (SELECT title FROM wards GROUP BY CUBE(title)), b AS (SELECT 1 AS x) SELECT x FROM b
WITH a AS (SELECT title FROM wards GROUP BY CUBE(title)) SELECT 1 FROM a
WITH a AS (SELECT title ILIKE 'x' FROM wards) SELECT 1
UPDATE OR REPLACE wards SET id = id + 1 WHERE beds > 3
UPDATE OR ROLLBACK wards SET ghost = 1
UPDATE OR GHOST wards SET id = 1
SELECT w.id FROM wards w, doctors d ON d.ward_id = w.id, visits v WHERE v.doctor_id = d.id
SELECT w.id FROM wards w JOIN visits v, doctors d ON d.ward_id = w.ghost
SELECT id FROM wards WHERE id IN (SELECT d.id FROM doctors d, visits v ON v.doctor_id = d.id)
SELECT CAST(beds AS UNSIGNED BIG INT), CAST(beds AS BIG INT), CAST(title AS NATIVE CHARACTER(70)), CAST(beds AS LONG VARCHAR) FROM wards
SELECT CAST(beds AS DOUBLE PRECISION) + 1 AS more FROM wards
SELECT (SELECT beds AS a b) FROM wards
INSERT INTO given (visit_id, drug_code) VALUES (1, 'a') ON CONFLICT (visit_id, drug_code) DO UPDATE SET dose = 1 ON CONFLICT DO NOTHING
INSERT INTO given (visit_id, drug_code) VALUES (1, 'a') ON CONFLICT (visit_id, drug_code) DO NOTHING ON CONFLICT DO NOTHING RETURNING visit_id
WITH t AS (SELECT 1 AS id) REPLACE INTO wards (id) SELECT id FROM t
SELECT id AS check FROM wards
SELECT id AS add FROM wards
SELECT id AS temp FROM wards
INSERT INTO wards SELECT id FROM doctors
SELECT * FROM wards w, (SELECT 1 AS x) w
SELECT w.* FROM wards w JOIN wards w
SELECT * FROM wards JOIN wards USING (id, title, beds)
SELECT offset, id FROM (SELECT 1 AS offset, 2 AS id) WHERE offset > 0 ORDER BY offset LIMIT 1 OFFSET 0
SELECT id, offset FROM (SELECT 1 AS offset, 2 AS id) GROUP BY offset
SELECT beds FROM wards ORDER BY beds LIMIT 2 - (SELECT count(*) FROM wards) % 2 OFFSET (SELECT (count(*) - 1) / 2 FROM wards)
SELECT ghost FROM wards LIMIT 2 % 2
SELECT id FROM doctors WHERE (ward_id, full_name, id) IN wards
SELECT id FROM doctors WHERE (ward_id, id) IN wards
SELECT j.value FROM json_each(v.details) AS j, visits v
SELECT j.value FROM json_each(v.ghost) AS j JOIN visits v ON v.id > 1
SELECT j.value FROM json_each(j.details) AS j
SELECT @x := 1
SELECT 1e5x
UPDATE visits SET cost = d.salary FROM doctors d WHERE d.id = visits.doctor_id RETURNING id
UPDATE visits SET cost = d.salary FROM doctors d WHERE d.id = visits.doctor_id RETURNING d.salary
SELECT avg(salary) AS a FROM doctors GROUP BY ward_id HAVING max(a) > 3
SELECT avg(salary) AS a FROM doctors GROUP BY ward_id ORDER BY max(a)
SELECT ward_id, sum(salary) AS s FROM doctors GROUP BY ward_id HAVING s > (SELECT avg(s) FROM wards)
SELECT ward_id, sum(salary) AS s FROM doctors GROUP BY ward_id HAVING s > (SELECT avg(beds) FROM wards WHERE beds < s)
SELECT ward_id, sum(salary) AS s FROM doctors GROUP BY ward_id HAVING s > (SELECT avg(beds + s) FROM wards)
SELECT ward_id + 1 AS s FROM doctors GROUP BY ward_id HAVING max(s) > (SELECT avg(s) FROM wards)
SELECT range FROM (SELECT 1 AS range) WHERE (range BETWEEN 1 AND 3)
SELECT rank() OVER (ORDER BY id) AS r FROM doctors HAVING max(r) > 1
SELECT rank() OVER (ORDER BY id) AS r FROM doctors ORDER BY r + 1
SELECT ward_id, sum(salary) AS s FROM doctors GROUP BY ward_id HAVING s > (SELECT abs(s) FROM wards)
SELECT ward_id, sum(salary) AS s FROM doctors GROUP BY ward_id HAVING s > (SELECT avg(beds) + abs(s) FROM wards)
SELECT id FROM wards WHERE beds IN 3
SELECT id FROM wards WHERE beds NOT IN NULL
SELECT id FROM wards WHERE beds IN (3) AND beds IN (NULL)
INSERT INTO bills (id, net) VALUES (1, 2) ON CONFLICT (visit_id, net) WHERE net > 1 DO NOTHING
INSERT INTO bills (id, net) VALUES (1, 2) ON CONFLICT (rowid) DO NOTHING
SELECT * FROM wards, doctors USING (id)
SELECT title FROM wards, doctors USING (id) WHERE beds > 1
SELECT cast(beds AS), cast(title AS ) FROM wards
SELECT wards.rowid FROM wards, doctors
SELECT rowid FROM wards, doctors
WITH t AS (SELECT title FROM wards) SELECT rowid FROM t, doctors
SELECT rowid FROM wards w JOIN doctors d ON d.ward_id = w.id JOIN visits v ON v.doctor_id = d.id
SELECT title, snippet(papers, 1, '<', '>', '...', 5) FROM papers WHERE papers MATCH 'a OR b' ORDER BY rank
SELECT title, bm25(papers) AS score, highlight(papers, 0, '<b>', '</b>') FROM papers WHERE papers MATCH 'body:x' ORDER BY score
SELECT rowid, rank FROM papers WHERE body MATCH 'x'
SELECT p.title FROM papers p WHERE p.papers = 'x'
SELECT ghost FROM papers WHERE papers MATCH 'x'
SELECT * FROM papers UNION SELECT title, body FROM papers
SELECT * FROM papers UNION SELECT title, body, rank FROM papers
INSERT INTO papers VALUES ('a', 'b')
INSERT INTO papers VALUES ('a', 'b', 'c', 'd')
INSERT INTO papers (papers) VALUES ('optimize')
SELECT main.upper(title) FROM wards
SELECT dbo.fn(title) FROM wards
SELECT title.upper() FROM wards
SELECT title, body FROM papers('x')
SELECT p.title, rank FROM papers('x') AS p WHERE p.rank < 0
SELECT title, rowid FROM papers('x')
SELECT ghost FROM papers('x')
SELECT x FROM wards('x')
SELECT ward_id, count(*) + 1 AS n FROM doctors GROUP BY ward_id ORDER BY (SELECT max(n) FROM wards)
