-- DuckDB's own
SELECT * EXCLUDE (notes) FROM patients
SELECT * REPLACE (upper(city) AS city) FROM patients
SELECT COLUMNS('.*id') FROM visits
SELECT city, count(*) FROM patients GROUP BY ALL ORDER BY ALL
SELECT full_name FROM doctors QUALIFY row_number() OVER (PARTITION BY ward_id ORDER BY salary DESC) = 1
SELECT full_name, rank() OVER (ORDER BY salary) AS r FROM doctors QUALIFY r < 3
SELECT beds * 2 AS b, b + 1 AS c FROM wards WHERE b > 5
SELECT city AS c, count(*) AS n FROM patients GROUP BY c HAVING n > 1 ORDER BY n
FROM wards
FROM wards SELECT title WHERE beds > 5
SELECT date_trunc('month', started), date_part('year', started), year(started), month(started), strftime(started, '%Y-%m') FROM visits
SELECT date_diff('day', born, CURRENT_DATE), datediff('day', born, today()), age(born::timestamp) FROM patients
SELECT born + INTERVAL 1 DAY, born + 5, born - born, started - ended, started + INTERVAL '2 hours' FROM patients, visits
SELECT started::date, cost::int, id::varchar, TRY_CAST(reason AS integer) FROM visits
SELECT strptime('2024-01-01', '%Y-%m-%d'), make_date(2024, 1, 1), epoch(started), to_timestamp(0) FROM visits
SELECT dayname(born), monthname(born), dayofweek(born), week(born), quarter(born), last_day(born) FROM patients
SELECT string_agg(title, ', ' ORDER BY title), group_concat(title), list(title), array_agg(title ORDER BY id) FROM wards
SELECT list_contains([1, 2], 1), len([1, 2]), [1, 2][1], list_sum([1, 2]), unnest([1, 2])
SELECT {'a': 1, 'b': 'x'}.a, struct_pack(a := 1).a, MAP {'k': 1}['k']
SELECT list_transform([1, 2], x -> x + 1), list_filter([1, 2], lambda x: x > 1)
SELECT [x * 2 FOR x IN [1, 2, 3] IF x > 1]
SELECT u FROM (SELECT unnest([1, 2, 3]) AS u)
SELECT i FROM range(10) t(i)
SELECT * FROM generate_series(1, 5) AS g(i)
SELECT regexp_matches(title, 'a'), regexp_extract(title, '(a)', 1), regexp_replace(title, 'a', 'b', 'g'), title SIMILAR TO 'a.*' FROM wards
SELECT split_part(full_name, ' ', 1), string_split(full_name, ' ')[1], contains(full_name, 'a'), starts_with(full_name, 'a'), full_name[1:2] FROM patients
SELECT median(cost), mode(reason), quantile_cont(cost, 0.5), approx_count_distinct(id), arg_max(id, cost), max_by(id, cost), first(id), any_value(id) FROM visits
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY cost) FROM visits
SELECT count_if(cost > 5), sum(cost) FILTER (cost > 5), bool_or(cost > 1), stddev(cost), corr(cost, id) FROM visits
SELECT coalesce(city, 'x'), ifnull(city, 'x'), nullif(city, ''), if(active, 1, 2), CASE WHEN active THEN 1 END FROM patients
SELECT title ILIKE 'a%', title GLOB 'a*', title ~ 'a', title LIKE 'a!%' ESCAPE '!' FROM wards
SELECT details->'a', details->>'$.a', json_extract(details, '$.a'), json_extract_string(details, '$.a'), details.a FROM visits
SELECT 5 / 2, 5 // 2, 5 % 2, 2 ** 3, 2 ^ 3, 1 == 1, 1 != 2
SELECT ARRAY[1, 2], [1, 2], (1, 2), row(1, 2)
SELECT * FROM wards POSITIONAL JOIN doctors
SELECT * FROM wards SEMI JOIN doctors ON wards.id = doctors.ward_id
SELECT * FROM wards ANTI JOIN doctors ON wards.id = doctors.ward_id
SELECT * FROM visits ASOF JOIN wards ON visits.id >= wards.id
SELECT * FROM wards FULL JOIN doctors ON wards.id = doctors.ward_id
SELECT * FROM wards w, (SELECT * FROM doctors d WHERE d.ward_id = w.id) t
SELECT * FROM wards JOIN doctors
SELECT * FROM wards JOIN doctors USING (id)
SELECT * FROM wards TABLESAMPLE 10 PERCENT
SELECT * FROM wards USING SAMPLE 10
SELECT * FROM wards LIMIT 10 PERCENT
SELECT * FROM wards LIMIT 5 OFFSET 2
SELECT id FROM wards UNION BY NAME SELECT id, full_name FROM doctors
PIVOT visits ON doctor_id USING sum(cost)
PIVOT visits ON doctor_id USING sum(cost) GROUP BY patient_id
UNPIVOT wards ON id, beds INTO NAME n VALUE v
SELECT * FROM (PIVOT visits ON doctor_id USING sum(cost))
DESCRIBE wards
SUMMARIZE wards
SHOW TABLES
SELECT * FROM duckdb_tables()
SELECT * FROM information_schema.columns
SELECT rowid FROM wards
SELECT w FROM wards w
SELECT w.title.x FROM wards w
SELECT title AS "the title" FROM wards ORDER BY "the title"
SELECT "title", 'title' FROM "wards"
SELECT TITLE FROM WARDS
SELECT id FROM wards WHERE title = "Surgery"
SELECT sum(active), sum(active::int), avg(active::int) FROM patients
SELECT sum(title) FROM wards
SELECT avg(born) FROM patients
SELECT max(born), min(title), max(active) FROM patients, wards
SELECT title + 1 FROM wards
SELECT title = 5, id = '5' FROM wards
SELECT born > '2000-01-01', born = started, started > born FROM patients, visits
SELECT born LIKE '2000%' FROM patients
SELECT length(id), upper(id) FROM wards
SELECT id || title, title || 5 FROM wards
SELECT concat(id, title, NULL), concat_ws('-', id, title), format('{} {}', id, title), printf('%d', id) FROM wards
SELECT round(weight, 1), floor(weight), ceil(height), trunc(height), power(2, 3), log(10), ln(10), sign(-1), greatest(1, 2) FROM patients
SELECT substr(title, 1, 2), substring(title, 1, 2), left(title, 1), right(title, 1), lpad(title, 5, ' '), reverse(title), repeat(title, 2), instr(title, 'a'), strpos(title, 'a'), position('a' IN title) FROM wards
SELECT now(), current_date, current_timestamp, today(), get_current_time()
SELECT date_add(born, INTERVAL 1 DAY), date_sub('day', born, born), date_trunc('week', born) FROM patients
SELECT dateadd(day, 1, born) FROM patients
SELECT date_format(born, '%Y') FROM patients
SELECT to_char(born, 'YYYY') FROM patients
SELECT strftime('%Y', born) FROM patients
SELECT getdate(), curdate() FROM patients
SELECT julianday(born) FROM patients
SELECT charindex('a', title), isnull(title, 'x'), nvl(title, 'x') FROM wards
SELECT extract(year FROM born), extract('month' FROM born), extract(epoch FROM started) FROM patients, visits
SELECT row_number() OVER (), ntile(2) OVER (ORDER BY id), lag(id) OVER (ORDER BY id), first_value(id) OVER (ORDER BY id), nth_value(id, 2) OVER (ORDER BY id) FROM wards
SELECT sum(cost) OVER (PARTITION BY doctor_id ORDER BY started RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW) FROM visits
SELECT city, active, count(*) FROM patients GROUP BY CUBE (city, active)
SELECT city, count(*) FROM patients GROUP BY ROLLUP (city) HAVING grouping(city) = 0
SELECT city, full_name FROM patients GROUP BY city
SELECT city, any_value(full_name), first(full_name) FROM patients GROUP BY city
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n
WITH c AS (SELECT ghost FROM wards) SELECT * FROM wards
WITH c AS MATERIALIZED (SELECT 1 AS x) SELECT x FROM c
INSERT INTO wards (id, title) VALUES (1, 'a') ON CONFLICT DO NOTHING
INSERT OR REPLACE INTO wards VALUES (1, 'a', 2)
UPDATE wards SET beds = 1 FROM doctors WHERE doctors.ward_id = wards.id
DELETE FROM wards WHERE ghost = 1
SELECT * FROM read_csv('x.csv')
SELECT * FROM 'x.parquet'
SELECT map, "map" FROM (SELECT 1 AS map) AS t
SELECT current_schema, current_catalog, current_user
SELECT title FROM wards WHERE title !~ 'a'
SELECT born - '2024-01-01' FROM patients
SELECT extract(YEAR FROM city) FROM patients
SELECT j.key, j.value FROM visits, json_each(details) AS j
SELECT j.ghost FROM visits, json_each(details) AS j
SELECT title FROM wards WHERE wards > 800
SELECT title FROM wards WHERE wards = 'a'
SELECT title FROM wards WHERE wards IS NOT NULL
SELECT wards + 1 FROM wards
SELECT upper(wards) FROM wards
SELECT sum(wards) FROM wards
SELECT max(wards), count(wards), list(wards) FROM wards
SELECT to_json(w) FROM wards w
SELECT w = w FROM wards w
SELECT concat(w, 'a'), w || 'a' FROM wards w
SELECT title FROM wards WHERE wards LIKE 'a%'
SELECT title FROM wards WHERE NOT wards
SELECT wards FROM wards UNION SELECT id FROM wards
SELECT title FROM wards JOIN doctors ON wards = doctors.ward_id
SELECT struct_extract(wards, 'id') FROM wards
SELECT full_name FROM patients WHERE id IN (SELECT id FROM patients GROUP BY id HAVING city = max(city))
SELECT full_name FROM patients WHERE id IN (SELECT p.id FROM patients p GROUP BY p.id HAVING p.city = max(p.city))
SELECT full_name FROM patients p WHERE id IN (SELECT p.id FROM doctors p GROUP BY p.id HAVING p.full_name = max(p.full_name))
SELECT full_name FROM patients WHERE id IN (SELECT v.id FROM visits v GROUP BY v.id HAVING patients.city = max(v.cost))
SELECT full_name FROM patients WHERE id IN (SELECT id FROM patients GROUP BY id ORDER BY city)
SELECT part FROM patients, string_split(city, ',') AS t(part)
SELECT full_name FROM patients WHERE 'a' NOT IN (SELECT value FROM string_split(city, ','))
SELECT * FROM string_split_regex('a b', ' ') AS t
SELECT * FROM json_extract('{}', 'a')
SELECT * FROM regexp_split_to_table('a,b', ',')
SELECT * FROM duckdb_types()
CREATE TABLE fresh AS SELECT ghost FROM wards
SELECT id, list_transform(arms, lambda x: upper(x)) FROM studies
SELECT id, list_transform(counts, lambda x, i: x * i) FROM studies
SELECT id, list_filter(steps, lambda s: s.price > 3 AND s.title LIKE 'A%') FROM studies
SELECT id, list_sum(list_transform(steps, LAMBDA s: s.price)) AS total FROM studies ORDER BY total
SELECT id, list_reduce(counts, lambda a, b: a + b) FROM studies
SELECT id, list_transform(steps, lambda s: s.cost) FROM studies
SELECT id, list_transform(arms, lambda x: x + 1) FROM studies
SELECT id, list_transform(arms, lambda x: ghost) FROM studies
SELECT id, list_transform(ward_id, lambda x: x) FROM studies
SELECT id, list_filter(arms, lambda x: x > 3) FROM studies
SELECT COLUMNS(lambda c: c LIKE '%id') FROM studies
SELECT [s.price FOR s IN steps IF s.done IS NULL] FROM studies
SELECT list_sum([s.price FOR s IN steps]) FROM studies
SELECT [s.cost FOR s IN steps] FROM studies
SELECT [x || y FOR x IN arms] FROM studies
SELECT s.id, u.title, u.price FROM studies s, UNNEST(s.steps) AS t(u) WHERE u.price > 3
SELECT s.id, t.u.title FROM studies s, UNNEST(s.steps) AS t(u)
SELECT s.id, u.cost FROM studies s, UNNEST(s.steps) AS t(u)
SELECT s.id, t.unnest.title FROM studies s, UNNEST(s.steps) t
SELECT s.id, t.title FROM studies s, UNNEST(s.steps) t
SELECT arm, count(*) FROM studies, UNNEST(arms) AS arm GROUP BY arm
SELECT s.id, u FROM studies s, UNNEST(s.marks) AS t(u)
SELECT s.id, t.pos FROM studies s, UNNEST(s.arms) WITH ORDINALITY AS t(arm, pos)
SELECT id, title FROM (SELECT id, UNNEST(steps, recursive := true) FROM studies)
SELECT id, town FROM (SELECT id, UNNEST(site) FROM studies)
SELECT id, town FROM (SELECT id, UNNEST(arms) FROM studies)
SELECT id, u.cost FROM (SELECT id, UNNEST(steps) AS u FROM studies)
SELECT UNNEST(marks) FROM studies
SELECT UNNEST(id) FROM studies
SELECT g + 1 FROM generate_series(1, 3) AS g
SELECT g.generate_series FROM generate_series(1, 3) AS g
SELECT n FROM generate_series(1, 3)
SELECT n FROM range(3) AS t(n)
SELECT site.town, site.head.since FROM studies WHERE site.head.label = 'x'
SELECT s.site.head.since + 1 FROM studies s
SELECT studies.site.town FROM studies
SELECT SITE.TOWN FROM studies
SELECT site.zip FROM studies
SELECT s.site.head.zip FROM studies s
SELECT site.town.zip FROM studies
SELECT steps.title FROM studies
SELECT steps[1].title, (steps[1]).price, steps[-1]['done'] FROM studies
SELECT steps[1].cost FROM studies
SELECT site['town'], struct_extract(site, 'town') FROM studies
SELECT site['zip'] FROM studies
SELECT struct_extract(site, 'zip') FROM studies
SELECT site.town, count(*) FROM studies GROUP BY site.town
SELECT site.town, site.head.label, count(*) FROM studies GROUP BY site.town
SELECT site.town AS town, count(*) FROM studies GROUP BY town HAVING town <> 'x'
SELECT site.* FROM studies
SELECT marks['a'] + 1, marks.a, bag.a.b, either_way.n FROM studies
SELECT marks[1] FROM studies
SELECT either_way.x FROM studies
SELECT title.x FROM wards
SELECT sum(counts) FROM studies
SELECT avg(marks) FROM studies
SELECT sum(stage) FROM studies
SELECT stage + 1 FROM studies
SELECT upper(stage), stage || 'x', stage = 'open', stage LIKE 'o%' FROM studies
SELECT stage > 1 FROM studies
SELECT arms LIKE '%x%' FROM studies
SELECT arms || ['x'], arms || 'x' FROM studies
SELECT arms || ['x'], counts || [1.5], list_contains(arms, 'x'), list_contains(counts, 1.5) FROM studies
SELECT list_contains(counts, stage) FROM studies
SELECT list_contains(arms, 1) FROM studies
SELECT list_has_any(counts, ['a']) FROM studies
SELECT list_sum(arms) FROM studies
SELECT list_sum(counts), list_max(arms), list_aggregate(counts, 'avg') FROM studies
SELECT list_aggregate(arms, 'sum') FROM studies
SELECT flatten(counts) FROM studies
SELECT flatten([counts]), map_keys(marks), list_sum(place), len(arms) FROM studies
SELECT map_keys(counts) FROM studies
SELECT length(marks) FROM studies
SELECT shift - shift FROM studies
SELECT shift > 9 FROM studies
SELECT bag + 1 FROM studies
SELECT -title FROM wards
SELECT -beds, -salary FROM wards, doctors
SELECT greatest(beds, title) FROM wards
SELECT greatest(beds, 3), least(title, 'x') FROM wards
SELECT coalesce(arms, counts) FROM studies
SELECT ward_id FROM studies WHERE ward_id IN (SELECT counts FROM studies)
SELECT regexp_extract('a', '(a)', ['x']).x
SELECT xor(beds, 3) FROM wards
SELECT w.id FROM wards w CROSS APPLY (SELECT 1 AS one) x
SELECT grouping_id(title) FROM wards GROUP BY title
SELECT * RENAME (title AS label) FROM wards ORDER BY label
PIVOT visits ON doctor_id IN (1, 2) USING sum(cost) GROUP BY patient_id
PIVOT visits ON doctor_id USING sum(cost) GROUP BY patient_id ORDER BY patient_id LIMIT 3
PIVOT visits ON doctor_id IN (1) USING sum(price) GROUP BY patient_id
PIVOT visits ON ghost USING sum(cost) GROUP BY patient_id
PIVOT visits ON doctor_id USING sum(cost) GROUP BY ghost
PIVOT visits ON doctor_id IN (1, 2) USING reason GROUP BY patient_id
SELECT patient_id, "1", "2" FROM (PIVOT visits ON doctor_id IN (1, 2) USING sum(cost) GROUP BY patient_id)
SELECT patient_id, "3" FROM (PIVOT visits ON doctor_id IN (1, 2) USING sum(cost) GROUP BY patient_id)
SELECT patient_id, "1_s", "1_n" FROM (PIVOT visits ON doctor_id IN (1) USING sum(cost) AS s, count(*) AS n GROUP BY patient_id)
SELECT patient_id, one FROM (SELECT patient_id, doctor_id, cost FROM visits) PIVOT (sum(cost) FOR doctor_id IN (1 AS one, 2 AS two))
SELECT patient_id, three FROM (SELECT patient_id, doctor_id, cost FROM visits) PIVOT (sum(cost) FOR doctor_id IN (1 AS one, 2 AS two))
WITH p AS (PIVOT visits ON doctor_id IN (1) USING count(*) GROUP BY patient_id) SELECT patient_id, "1" FROM p
UNPIVOT wards ON id, beds INTO NAME what VALUE figure ORDER BY title
UNPIVOT wards ON id, bed INTO NAME what VALUE figure
UNPIVOT wards ON id, title INTO NAME what VALUE figure
SELECT title, what, figure FROM (UNPIVOT wards ON id, beds INTO NAME what VALUE figure)
SELECT title, what, beds FROM (UNPIVOT wards ON id, beds INTO NAME what VALUE figure)
SELECT title, what, figure FROM wards UNPIVOT (figure FOR what IN (id, beds))
SELECT title, what, figure FROM wards UNPIVOT (figure FOR what IN (id, bed))
SELECT * FROM (UNPIVOT (SELECT * FROM wards) ON COLUMNS(* EXCLUDE title) INTO NAME what VALUE figure) WHERE figure > 3
SELECT v.id FROM visits v ASOF JOIN doctors d ON v.doctor_id = d.id
SELECT v.id FROM visits v ASOF JOIN doctors d ON v.doctor_id = d.id AND v.started >= d.hired
SELECT v.id FROM visits v ASOF JOIN doctors d ON v.started >= d.hired AND v.ended >= d.hired
SELECT v.id FROM visits v ASOF JOIN doctors d ON v.started >= d.hired AND d.salary > 3 AND v.cost > 1
SELECT v.id FROM visits v ASOF JOIN doctors d ON v.started <> d.hired
SELECT v.id FROM visits v ASOF LEFT JOIN doctors d ON d.hired <= v.started AND v.doctor_id = d.id
SELECT v.id FROM visits v ASOF JOIN doctors d ON v.started BETWEEN d.hired AND d.hired
SELECT id FROM studies WHERE UNNEST(arms) = 'x'
SELECT max(UNNEST(counts)) FROM studies
SELECT UNNEST(arms) AS arm FROM studies WHERE arm = 'x'
SELECT UNNEST(arms) AS arm, count(*) FROM studies GROUP BY arm HAVING arm LIKE 'x%'
SELECT UNNEST(counts) AS n, sum(n) FROM studies
SELECT UNNEST(counts) AS n, n + 1 FROM studies ORDER BY n
SELECT UNNEST(counts) AS n, sum(id) OVER (PARTITION BY n) FROM studies
SELECT s.id FROM studies s JOIN wards w ON UNNEST(s.counts) = w.id
SELECT id FROM studies GROUP BY id, UNNEST(counts) ORDER BY id
SELECT json_each(bag) FROM studies
SELECT s.id, j.key, j.value FROM studies s, json_each(s.bag) j
SELECT avg(cost) OVER (ORDER BY started RANGE BETWEEN 7 PRECEDING AND CURRENT ROW) FROM visits
SELECT avg(cost) OVER (ORDER BY started RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND CURRENT ROW) FROM visits
SELECT avg(cost) OVER (ORDER BY id RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND CURRENT ROW) FROM visits
SELECT avg(salary) OVER (ORDER BY hired RANGE BETWEEN 7 PRECEDING AND CURRENT ROW) FROM doctors
SELECT avg(salary) OVER (ORDER BY full_name RANGE BETWEEN 7 PRECEDING AND CURRENT ROW) FROM doctors
SELECT CASE WHEN beds > 3 THEN 'many' WHEN beds > 1 THEN 0 END FROM wards
SELECT CASE WHEN beds > 3 THEN 'many' ELSE 0 END FROM wards
SELECT CASE WHEN beds > 3 THEN 'many' WHEN beds > 1 THEN beds ELSE NULL END FROM wards
SELECT CASE WHEN beds > 3 THEN beds WHEN beds > 1 THEN 'x' END FROM wards
SELECT CASE WHEN beds > 3 THEN 'many' WHEN beds > 1 THEN NULL ELSE 0 END FROM wards
SELECT coalesce(NULL, 'x', 0), coalesce(NULL, 0, 'x')
SELECT coalesce(NULL, 0, 'x')
SELECT date_part('fortnight', started) FROM visits
SELECT date_trunc('fortnight', started) FROM visits
SELECT date_trunc('Month', started), date_part('isodow', started), date_part('c', started) FROM visits
SELECT date_diff('fortnight', started, ended) FROM visits
SELECT * REPLACE (upper(ghost) AS title) FROM wards
SELECT * REPLACE (beds + 1 AS ghost) FROM wards
SELECT * REPLACE (beds + 1 AS beds) FROM wards
SELECT w.* EXCLUDE (ghost) FROM wards w
SELECT w.* EXCLUDE (beds), d.* FROM wards w JOIN doctors d ON d.ward_id = w.id
INSERT INTO wards VALUES (1, 'x')
INSERT INTO wards VALUES (1, 'x', 3)
INSERT INTO wards SELECT id, title FROM wards
INSERT INTO wards BY NAME SELECT 1 AS id, 'x' AS title
INSERT INTO wards BY NAME SELECT 1 AS id, 'x' AS label
INSERT INTO patients (id, born) VALUES (1, '2024-13-01')
INSERT INTO patients (id, born) VALUES (1, 'yesterday')
INSERT INTO patients (id, born, weight) VALUES (1, '2024-12-01', '70.5')
INSERT INTO studies (id, stage) VALUES (1, 'ajar')
INSERT INTO studies (id, stage) VALUES (1, 'open')
INSERT INTO studies (id, arms) VALUES (1, 'x'), (2, ['x'])
INSERT INTO studies (id, arms) VALUES (1, ['x', 'y'])
UPDATE studies SET site.town = 'x'
SELECT mood + 1, mood FROM moods
SELECT mood = 'good', mood LIKE 'g%', upper(mood) FROM moods
SELECT sum(mood) FROM moods
INSERT INTO moods VALUES ('fine')
INSERT INTO moods VALUES ('good')
MERGE INTO wards w USING doctors d ON w.id = d.ward_id WHEN MATCHED THEN UPDATE SET beds = 3, title = 'x'
SELECT {'a': 1, 'b': title}.b FROM wards
SELECT {'a': 1, 'b': title}.c FROM wards
SELECT list({'a': id, 'b': title})[1].b FROM wards
SELECT list({'a': id, 'b': title})[1].c FROM wards
SELECT struct_pack(a := id).b FROM wards
SELECT town FROM (SELECT site.* FROM studies)
SELECT ghost FROM (SELECT site.* FROM studies)
SELECT site[1] FROM studies
SELECT array_distance(place, [1.0, 2.0]::double[2]) FROM studies
SELECT array_distance(place, [1.0, 2.0, 3.0]::double[3]) FROM studies
SELECT list_transform(arms, 'upper') FROM studies
SELECT * FROM generate_series('2024-01-01', '2024-02-01', INTERVAL 1 DAY)
SELECT * FROM generate_series(DATE '2024-01-01', DATE '2024-02-01', INTERVAL 1 DAY) AS t(d)
SELECT UNNEST(generate_series(hired, current_date, INTERVAL 1 MONTH)) FROM doctors
SELECT UNNEST(range(hired, hired, 1)) FROM doctors
SELECT UNNEST(range(hired, current_date)) FROM doctors
SELECT UNNEST(range(beds)) FROM wards
SELECT range(title) FROM wards
SELECT date_add('month', 3, hired) FROM doctors
SELECT date_add(hired, INTERVAL 3 MONTH), date_add(hired, 3) FROM doctors
SELECT if(active, 1, 0), if(active, 1) FROM patients
SELECT if(active, 1, 0) FROM patients
SELECT list_avg(counts, 1) FROM studies
SELECT list(title ORDER BY beds DESC)[1], list(id)[1:2] FROM wards
SELECT list(ghost)[1] FROM wards
SELECT list(title)[1], id FROM wards
SELECT arms @> ['x'], arms && ['x', 'y'], ['x'] <@ arms FROM studies
SELECT arms @> 'x', counts @> arms FROM studies
SELECT bag @> '{}' FROM studies
SELECT counts && arms FROM studies
SELECT concat(title, 'x', id), concat(['x'], ['y']) FROM wards
SELECT title LIKE concat('%', arms, '%') FROM wards, studies
SELECT list_aggregate(counts, 'ghost') FROM studies
SELECT list_transform(counts, lambda x, i, k: x) FROM studies
SELECT w.title.* FROM wards w
SELECT id FROM wards WHERE id = ALL (ARRAY['a'])
SELECT id FROM wards WHERE id <> ALL ([1, 2])
SELECT d.date FROM generate_series(DATE '2024-01-01', DATE '2024-02-01', INTERVAL 1 DAY) AS d
SELECT d + INTERVAL 1 DAY, d.generate_series FROM generate_series(DATE '2024-01-01', DATE '2024-02-01', INTERVAL 1 DAY) AS d
SELECT n + INTERVAL 1 DAY FROM range(3) AS t(n)
SELECT n + 1, upper(n::varchar) FROM range(3) AS t(n)
SELECT w.id FROM wards w JOIN generate_series(1, 3) AS g(n) ON g.n = w.id WHERE g.n > 1
SELECT w.id FROM wards w JOIN generate_series(1, 3) AS g(n) ON g.n = w.title
SELECT 5!, beds! FROM wards
SELECT ghost! FROM wards
SELECT id FROM wards ORDER BY beds, id,
SELECT id FROM wards GROUP BY id, ORDER BY id, LIMIT 3
SELECT [1, 2,], {'a': 1,}, max(beds,) FROM wards WHERE id IN (1, 2,)
SELECT id FROM wards, WHERE id = 1
SELECT ghost FROM wards ORDER BY beds, LIMIT 3
INSERT INTO wards BY POSITION SELECT 1, 'a', 2
INSERT INTO wards BY POSITION SELECT 1, 'a'
INSERT INTO wards (id, title,) VALUES (1, 'a'),
SELECT title AS t, upper(t) AS u, count(*) FROM wards GROUP BY t, u
SELECT title AS t, upper(t) AS u, count(*) FROM wards GROUP BY 1, 2
SELECT title AS t, upper(t) AS u, count(*) FROM wards GROUP BY ALL
SELECT title AS t, upper(title) AS u, count(*) FROM wards GROUP BY t, u
SELECT title AS t, t || 'a' AS u FROM wards GROUP BY t
SELECT title AS t, count(*) FROM wards GROUP BY upper(t)
SELECT beds + 1 AS b, b * 2 AS c FROM wards GROUP BY b, c
SELECT beds + 1 AS b, list_transform([1, 2], lambda b: b + 1) AS c FROM wards GROUP BY b, c
SELECT title.trim(), title.lower().trim(), 'a'.upper(), ('a' || title).upper() FROM wards
MERGE INTO wards USING drugs USING (title) WHEN MATCHED THEN DELETE
MERGE INTO wards USING (SELECT 1 AS id, 'a' AS title, 2 AS beds) AS s USING (id) WHEN MATCHED THEN UPDATE WHEN NOT MATCHED THEN INSERT
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN NOT MATCHED BY SOURCE THEN DELETE RETURNING merge_action, *
SELECT json_group_array(title), json_group_object(title, beds) FROM wards
SELECT beds, geomean(id) FROM wards GROUP BY beds
SELECT beds, geomean(id) FROM wards
SELECT id FROM wards WHERE geomean(id) > 1
SELECT count(*), list_sum([id]) FROM wards
SELECT hired - row_number() OVER (ORDER BY hired) FROM doctors
SELECT hired - row_number() OVER (ORDER BY hired)::int FROM doctors
SELECT lpad(rank() OVER (ORDER BY id), 3, '0') FROM doctors
SELECT row_number() OVER () % 2 = 0, percent_rank() OVER (ORDER BY id) * 100 FROM doctors
SELECT details->'a' = 'x' FROM visits
SELECT details->'a'->>'b' = 'x' FROM visits
SELECT id FROM visits WHERE details->'a' IS NOT NULL AND id > 3
SELECT id FROM visits WHERE details->'a'->>'b' IN ('x', 'y')
SELECT id FROM visits WHERE (details->'a'->>'b') = 'x' AND details->>'c' = 'y' AND (details->'a') IS NOT NULL
SELECT details->'a' AS a, count(*) FROM visits GROUP BY details->'a' ORDER BY 1
SELECT unnest(details->>'$.tags[*]') FROM visits
SELECT id FROM visits WHERE list_contains(details->>'$.tags[*]', 'x') OR 'x' = ANY(details->>'$.tags[*]')
SELECT (details->'a') + 1 FROM visits
SELECT lag(cost) OVER (ORDER BY started) AS before, sum(before) OVER (ORDER BY started) FROM visits
SELECT lag(cost) OVER (ORDER BY started) AS before, cost - before AS step, sum(step) OVER () FROM visits
SELECT lag(cost) OVER (ORDER BY started) AS before, cost - before AS step, step * 2 FROM visits
SELECT row_number() OVER (ORDER BY started) AS place, sum(cost) OVER (ORDER BY place) FROM visits
SELECT lag(cost) OVER (ORDER BY started) AS cost, sum(cost) OVER (ORDER BY started) FROM visits
SELECT count(*) AS n, sum(n) FROM visits
SELECT doctor_id, count(*) AS n, sum(n) OVER () AS whole, n / whole FROM visits GROUP BY doctor_id
SELECT unnest(arms) AS arm, count(*) FROM studies GROUP BY ALL
SELECT unnest(arms) AS arm, count(*) FROM studies GROUP BY arm
SELECT arm, count(*) FROM (SELECT unnest(arms) AS arm FROM studies) GROUP BY ALL
VALUES ('a'), (1)
VALUES (1), ('a')
VALUES (1), ('2'), (2.5), (NULL)
SELECT * FROM (VALUES ('2024-01-01', 1), (current_date, 2)) v(day, n)
SELECT * FROM (VALUES (current_date, 1), ('2024-01-01', 2)) v(day, n)
SELECT v.k, v.x FROM patients p, LATERAL (VALUES ('weight', p.weight), ('city', p.city)) AS v(k, x)
SELECT v.k, v.x + 1 FROM patients p, LATERAL (VALUES ('weight', p.weight), ('height', p.height)) AS v(k, x)
INSERT INTO patients (id, active) VALUES (1, 'maybe')
INSERT INTO patients (id, active) VALUES (1, 'yes')
UPDATE visits SET details->>'a' = 'x'
PIVOT visits ON reason IN ('a', 'b') USING sum(cost) GROUP BY year(started)
PIVOT visits ON reason IN ('a', 'b') USING sum(cost) GROUP BY doctor_id
PIVOT visits ON year(started) IN (2023, 2024) USING sum(cost) GROUP BY doctor_id
SELECT * FROM visits PIVOT (sum(cost) FOR reason IN ([a], [b]))
SELECT * FROM visits PIVOT (sum(cost) FOR reason IN (a, b))
SELECT * FROM visits PIVOT (sum(cost) FOR reason IN (upper(a)))
MERGE INTO wards w USING doctors d ON w.id = d.ward_id WHEN NOT MATCHED BY SOURCE THEN DELETE RETURNING id
UPDATE visits SET cost = d.salary FROM doctors d WHERE d.id = visits.doctor_id RETURNING id
UPDATE visits SET cost = d.salary FROM doctors d WHERE d.id = visits.doctor_id RETURNING d.salary
DELETE FROM visits USING doctors d WHERE d.id = visits.doctor_id RETURNING id, visits.cost
DELETE FROM visits USING doctors d WHERE d.id = visits.doctor_id RETURNING salary
SELECT quantile_cont(city, 0.5) FROM patients
SELECT quantile_cont(weight, [0.1, 0.9])[1], approx_quantile(weight, 0.5) + 1, quantile_cont(born, 0.5) FROM patients
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY city) FROM patients
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY weight), percentile_cont([0.1, 0.9]) WITHIN GROUP (ORDER BY weight) FROM patients
SELECT doctor_id, doctor_id + count(*) FROM visits GROUP BY ALL
SELECT doctor_id, count(*) AS n, n * 2 AS twice, n / sum(n) OVER () AS share FROM visits GROUP BY ALL ORDER BY share
SELECT doctor_id AS d, d + count(*) FROM visits GROUP BY ALL
SELECT date_diff('day', started, max(ended)) FROM visits GROUP BY ALL
SELECT doctor_id, CASE WHEN cost > 3 THEN count(*) END FROM visits GROUP BY ALL
SELECT doctor_id, rank() OVER (ORDER BY cost) FROM visits GROUP BY ALL
SELECT doctor_id, count(*), row_number() OVER (), rank() OVER (ORDER BY count(*)) FROM visits GROUP BY ALL
SELECT doctor_id, count(*), rank() OVER (PARTITION BY doctor_id ORDER BY count(*)) FROM visits GROUP BY ALL
SELECT doctor_id, count(*) AS n FROM visits GROUP BY ALL QUALIFY row_number() OVER (ORDER BY n) = 1
SELECT doctor_id, count(*) AS n FROM visits GROUP BY ALL ORDER BY cost
SELECT date_trunc('day', started) AS day, count(*) FROM visits GROUP BY ALL ORDER BY date_trunc('day', started), day
SELECT date_trunc('day', started) AS day, count(*) FROM visits GROUP BY ALL ORDER BY started
SELECT doctor_id, (SELECT max(beds) FROM wards WHERE id = doctor_id) + count(*) FROM visits GROUP BY ALL
SELECT doctor_id, (SELECT max(beds) FROM wards) + count(*) FROM visits GROUP BY ALL
SELECT doctor_id, count(*) FROM visits GROUP BY * ORDER BY doctor_id
SELECT doctor_id, count(*) FROM visits GROUP BY * ORDER BY cost
SELECT doctor_id, columns('co.*'), count(*) FROM visits GROUP BY ALL ORDER BY cost
INSERT INTO patients (id, born, active) VALUES (1, DEFAULT, DEFAULT), (2, '2024-01-01', true)
UPDATE wards SET (title, beds) = ('a', 3)
UPDATE wards SET (title, beds) = (DEFAULT, 3)
UPDATE wards SET (title, ghost) = ('a', 3)
UPDATE wards SET (title, beds) = (SELECT 'a', 3)
UPDATE wards SET beds = (SELECT id, ward_id FROM doctors LIMIT 1)
SELECT 1 WHERE EXISTS (VALUES (1)) AND NOT EXISTS ((SELECT 1))
SELECT 1 WHERE EXISTS (TABLE wards)
SELECT rank() OVER (w ORDER BY beds) FROM wards WINDOW w AS (PARTITION BY title ORDER BY id)
SELECT sum(beds) OVER (w ROWS 2 PRECEDING) FROM wards WINDOW w AS (ORDER BY id ROWS 1 PRECEDING)
SELECT id FROM visits WHERE (id, patient_id) IN (SELECT (visit_id, dose) FROM given)
SELECT id FROM visits WHERE (id, patient_id) IN (SELECT ROW(visit_id, dose) FROM given)
SELECT id FROM visits WHERE (id, patient_id) IN (SELECT (visit_id, dose, 1) FROM given)
SELECT id FROM visits WHERE (id, patient_id) IN (SELECT visit_id FROM given)
SELECT id FROM visits WHERE (id, patient_id) = (SELECT (visit_id, dose) FROM given LIMIT 1)
SELECT id FROM visits WHERE (id, patient_id) = ANY (SELECT (visit_id, dose) FROM given)
INSERT INTO wards (FROM wards)
INSERT INTO wards (FROM wards SELECT *) RETURNING id
INSERT INTO wards (FROM ghost)
INSERT INTO wards (id, title) (FROM doctors SELECT id, full_name)
INSERT INTO wards (FROM doctors SELECT id, full_name)
SELECT x'ab01', octet_length(X'AB'), b'01', x 'ab' FROM (SELECT 1 AS x)
SELECT octet_length(x'ab'), bit_count(b'01')
SELECT title COLLATE NOCASE.NOACCENT FROM wards WHERE title COLLATE nocase = 'a' ORDER BY title COLLATE noaccent.nocase
SELECT ghost COLLATE NOCASE.NOACCENT FROM wards
SELECT id, FROM wards WHERE beds > 2,
SELECT id FROM (SELECT id FROM wards WHERE beds > 2,)
SELECT beds FROM wards GROUP BY beds HAVING count(*) > 1,
SELECT id FROM wards LIMIT 3,
SELECT id, FROM wards, WHERE beds IN (1, 2,) GROUP BY id, ORDER BY id,
UPDATE wards SET beds = 1, WHERE id = 1
SELECT title::varchar[1:2] FROM wards
SELECT (title::varchar)[1:2], title::varchar[] FROM wards
SELECT title::varchar[:2] FROM wards
SELECT COLUMNS('ghost') FROM wards
SELECT COLUMNS('^id$'), COLUMNS('t.*e') FROM wards
SELECT COLUMNS('ID') FROM wards
SELECT COLUMNS(['id', 'ghost']) FROM wards
SELECT COLUMNS(['id', 'TITLE']) FROM wards
SELECT sum(COLUMNS('ghost.*')) FROM wards
SELECT * FROM wards WHERE COLUMNS('ghost') > 3
SELECT COLUMNS('a') FROM (SELECT 1 AS a) ORDER BY COLUMNS('a')
SELECT ward_id FROM doctors a RIGHT JOIN (SELECT id AS ward_id, title FROM wards) b USING (ward_id) GROUP BY b.ward_id
SELECT ward_id FROM doctors a RIGHT JOIN (SELECT id AS ward_id, title FROM wards) b USING (ward_id) GROUP BY a.ward_id
SELECT title.substr(1, 2), title.concat('x').substr(1, 2).lpad(5, '0'), [1, 2].list_concat([3]).len() FROM wards
SELECT rank(ORDER BY beds) OVER (PARTITION BY title ORDER BY id) FROM wards
SELECT x.id FROM XMLTABLE('//r' PASSING '<r/>' COLUMNS id int PATH '@id') x
SELECT title.upper(), main.upper(title), title.upper().lower() FROM wards
SELECT ttle.upper() FROM wards
SELECT dbo.fn(title) FROM wards
SELECT title.uper() FROM wards
SELECT list_transform(arms, lambda a: a.upper()), [a.upper() FOR a IN arms] FROM studies
SELECT upper(title) AS t, t.lower() FROM wards
SELECT id FROM studies WHERE current_time BETWEEN shift AND shift
SELECT id FROM studies WHERE shift < current_time
SELECT id FROM studies WHERE shift = current_time OR shift > localtime OR shift IN (current_time)
SELECT coalesce(shift, current_time) FROM studies
SELECT coalesce(shift, localtime), localtimestamp - INTERVAL 1 DAY FROM studies
SELECT rowid FROM crowded
SELECT c.rowid FROM crowded c
SELECT w.rowid, title FROM wards w, crowded
UPDATE crowded SET title = 'x'
DELETE FROM crowded WHERE title = 'x'
INSERT INTO crowded (title) VALUES ('x')
SELECT ward_id AS full_name, count(*) FROM doctors GROUP BY ward_id, doctors.full_name HAVING full_name LIKE 'a%'
