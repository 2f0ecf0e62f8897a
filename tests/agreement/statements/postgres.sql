-- PostgreSQL's own
SELECT full_name FROM patients WHERE full_name ILIKE '%ann%'
SELECT full_name FROM patients WHERE full_name ~* '^a' AND full_name !~ 'b$'
SELECT full_name FROM patients WHERE full_name SIMILAR TO '(A|B)%'
SELECT id::text || '-' || title FROM wards
SELECT cost::int, cost::numeric(10,1), started::date FROM visits
SELECT date_trunc('month', started) AS m, count(*) FROM visits GROUP BY 1 ORDER BY 1
SELECT date_trunc('month', started) AS m, count(*) FROM visits GROUP BY m ORDER BY m
SELECT extract(epoch FROM ended - started) / 3600 FROM visits
SELECT extract(dow FROM started), date_part('year', born) FROM visits, patients
SELECT avg(ended - started) FROM visits
SELECT age(born), age(now(), born) FROM patients
SELECT born + 30, born - 7, born - born, born + INTERVAL '1 month' FROM patients
SELECT started + INTERVAL '1 day' * 3 FROM visits
SELECT now() - INTERVAL '7 days'
SELECT * FROM visits WHERE started >= now() - INTERVAL '30 days'
SELECT * FROM visits WHERE started >= CURRENT_DATE - 30
SELECT * FROM visits WHERE started::date = '2024-01-01'
SELECT * FROM visits WHERE started BETWEEN '2024-01-01' AND '2024-02-01'
SELECT to_char(started, 'YYYY-MM') AS ym, sum(cost) FROM visits GROUP BY ym
SELECT to_date('2024-01-01', 'YYYY-MM-DD')
SELECT make_date(2024, 1, 1), make_interval(days => 3)
SELECT generate_series(1, 10)
SELECT g FROM generate_series(1, 10) AS g
SELECT g.d::date FROM generate_series('2024-01-01'::date, '2024-02-01'::date, '1 day') AS g(d)
SELECT d FROM generate_series(CURRENT_DATE - 30, CURRENT_DATE, INTERVAL '1 day') AS d
SELECT unnest(tags) FROM events
SELECT e.id, t FROM events e, unnest(e.tags) AS t
SELECT e.id, t.tag FROM events e CROSS JOIN LATERAL unnest(e.tags) AS t(tag)
SELECT e.id, t.tag, t.n FROM events e, unnest(e.tags) WITH ORDINALITY AS t(tag, n)
SELECT * FROM events WHERE 'a' = ANY(tags)
SELECT * FROM events WHERE tags @> ARRAY['a', 'b']
SELECT * FROM events WHERE tags && ARRAY['a']
SELECT tags[1], tags[1:2], array_length(tags, 1), cardinality(tags) FROM events
SELECT array_to_string(tags, ', ') FROM events
SELECT array_agg(DISTINCT id ORDER BY id) FROM events
SELECT string_agg(DISTINCT title, ', ' ORDER BY title) FROM wards
SELECT payload->'a'->>'b' FROM events
SELECT payload->>'price' FROM events WHERE (payload->>'price')::numeric > 5
SELECT payload #>> '{a,b}' FROM events
SELECT payload @> '{"a": 1}' FROM events
SELECT payload ? 'a' FROM events
SELECT payload['a'] FROM events
SELECT jsonb_array_elements(payload->'items') FROM events
SELECT x.value FROM events e, jsonb_array_elements(e.payload) AS x
SELECT k FROM events e, jsonb_object_keys(e.payload) AS k
SELECT key, value FROM events e, jsonb_each(e.payload)
SELECT jsonb_build_object('id', id, 'title', title) FROM wards
SELECT json_agg(w) FROM wards w
SELECT row_to_json(w) FROM wards w
SELECT to_jsonb(w) FROM wards w
SELECT jsonb_path_query(payload, '$.a') FROM events
SELECT span = span, span @> 5, lower(span), upper(span) FROM events
SELECT * FROM events WHERE during && tstzrange('2024-01-01', '2024-02-01')
SELECT * FROM events WHERE uid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
SELECT * FROM events WHERE uid = 5
SELECT amount + amount, amount * 2, amount::numeric FROM events
SELECT kind = 'abc' FROM events
SELECT lasted > INTERVAL '1 hour', extract(hour FROM lasted) FROM events
SELECT at_time > '10:00' FROM events
SELECT count(*) FILTER (WHERE cost > 10) AS costly, sum(cost) FILTER (WHERE cost < 10) FROM visits
SELECT DISTINCT ON (patient_id) patient_id, started FROM visits ORDER BY patient_id, started DESC
SELECT DISTINCT ON (patient_id) patient_id, started FROM visits ORDER BY started DESC
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY cost) FROM visits
SELECT percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY cost) FROM visits
SELECT mode() WITHIN GROUP (ORDER BY city) FROM patients
SELECT city, percentile_cont(0.9) WITHIN GROUP (ORDER BY weight) FROM patients GROUP BY city
SELECT corr(weight, height), regr_slope(weight, height) FROM patients
SELECT stddev_pop(cost), var_samp(cost) FROM visits
SELECT width_bucket(cost, 0, 100, 10) FROM visits
SELECT round(weight::numeric, 2), round(height::numeric, 1) FROM patients
SELECT round(height, 1) FROM patients
SELECT trunc(cost), trunc(cost, 1), sign(cost), exp(1), ln(10), log(100) FROM visits
SELECT cost / NULLIF(beds, 0) FROM visits, wards
SELECT 100.0 * count(*) / sum(count(*)) OVER () FROM visits GROUP BY doctor_id
SELECT initcap(full_name), reverse(full_name), repeat('x', 3), lpad(city, 5, '*') FROM patients
SELECT split_part(full_name, ' ', 1), strpos(full_name, 'a'), position('a' IN full_name) FROM patients
SELECT regexp_replace(full_name, 'a', 'b', 'g'), regexp_match(full_name, 'a(.)') FROM patients
SELECT (regexp_matches(full_name, '(a)', 'g'))[1] FROM patients
SELECT substring(full_name FROM '^[A-Z]') FROM patients
SELECT overlay(full_name PLACING 'x' FROM 1 FOR 2) FROM patients
SELECT left(full_name, 1) || right(full_name, 1), char_length(full_name) FROM patients
SELECT concat(id, ' ', title, NULL), concat_ws(',', id, title) FROM wards
SELECT format('%s-%s', id, title), quote_literal(title), md5(title) FROM wards
SELECT coalesce(weight, 0), greatest(weight, 50), least(1, 2.5) FROM patients
SELECT bool_and(active), bool_or(active), every(active) FROM patients
SELECT active::int FROM patients
SELECT sum(active::int) FROM patients
SELECT CASE WHEN active THEN 1 ELSE 0 END FROM patients
SELECT * FROM patients WHERE active IS TRUE AND active = 't'
SELECT row_number() OVER w, sum(cost) OVER (w ROWS UNBOUNDED PRECEDING) FROM visits WINDOW w AS (PARTITION BY patient_id ORDER BY started)
SELECT sum(cost) OVER (ORDER BY started RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) FROM visits
SELECT lag(cost, 1, 0) OVER (ORDER BY started) FROM visits
SELECT cost - lag(cost) OVER (PARTITION BY patient_id ORDER BY started) AS change FROM visits
SELECT * FROM (SELECT *, rank() OVER (PARTITION BY doctor_id ORDER BY cost DESC) AS r FROM visits) s WHERE r <= 3
SELECT * FROM wards w JOIN LATERAL (SELECT * FROM doctors d WHERE d.ward_id = w.id ORDER BY salary DESC LIMIT 1) t ON true
SELECT ROW(1, 2) = ROW(1, 2), (1, 2) < (1, 3)
SELECT * FROM wards WHERE (id, beds) IN ((1, 2), (3, 4))
SELECT * FROM wards WHERE (id, beds) IN (SELECT id, ward_id FROM doctors)
SELECT w FROM wards w
SELECT (w).title FROM wards w
SELECT (w).ghost FROM wards w
SELECT w.ctid, w.tableoid FROM wards w
SELECT current_user, session_user, current_schema, current_database()
SELECT * FROM USER
SELECT user
SELECT * FROM information_schema.tables
SELECT * FROM pg_catalog.pg_class
SELECT id FROM wards FOR UPDATE
SELECT id FROM wards FETCH FIRST 3 ROWS ONLY
SELECT id FROM wards FETCH FIRST 3 ROWS WITH TIES
SELECT id FROM wards ORDER BY id FETCH FIRST 3 ROWS WITH TIES
SELECT id FROM wards OFFSET 2 ROWS
SELECT id FROM wards TABLESAMPLE SYSTEM (10)
SELECT * FROM ONLY wards
TABLE wards
SELECT GROUPING(city), city, count(*) FROM patients GROUP BY ROLLUP (city)
SELECT city, active FROM patients GROUP BY GROUPING SETS ((city), (active))
SELECT city, full_name FROM patients GROUP BY GROUPING SETS ((city), (active))
WITH t AS (INSERT INTO wards (id) VALUES (1) RETURNING id) SELECT id FROM t
INSERT INTO wards (id, title) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET title = EXCLUDED.title
INSERT INTO wards (id, title) VALUES (1, 'a') ON CONFLICT (id) DO NOTHING RETURNING id
UPDATE doctors d SET salary = salary * 1.1 FROM wards w WHERE w.id = d.ward_id
UPDATE doctors SET ghost = 1 FROM wards WHERE wards.id = doctors.ward_id
DELETE FROM visits USING patients p WHERE p.id = visits.patient_id
MERGE INTO wards w USING doctors d ON w.id = d.ward_id WHEN MATCHED THEN UPDATE SET beds = 1
SELECT E'a\nb', $$text$$, U&'\0041', B'101', X'1F'
SELECT 1e3, .5, 1_000
SELECT CAST('2024-01-01' AS date), date '2024-01-01', timestamp '2024-01-01 10:00', interval '1 day'
SELECT '5'::int + 1, 'a'::int
SELECT '2024-01-01' < now()
SELECT title AT TIME ZONE 'UTC' FROM wards
SELECT started AT TIME ZONE 'UTC', happened AT TIME ZONE 'Europe/Oslo' FROM visits, events
SELECT array[1,2] || 3, array[1,2] = array[1,2], 5 = ANY(scores), scores[1] + 1 FROM events
SELECT 'a' = ANY(scores) FROM events
SELECT array_position(tags, 'a'), array_remove(tags, 'b'), tags || 'x' FROM events
SELECT sum(s) FROM events, unnest(scores) AS s
SELECT upper(t) FROM events, unnest(scores) AS t
SELECT json_build_object('a', 1)->>'a', '{"a":1}'::jsonb->'a'
SELECT pg_sleep(0), pg_typeof(1), version()
SELECT nextval('s')
SELECT lower(city) COLLATE "C" FROM patients
SELECT city FROM patients ORDER BY city COLLATE "C" DESC NULLS LAST
SELECT isnull(city, 'x') FROM patients
SELECT city ISNULL, city NOTNULL FROM patients
SELECT getdate()
SELECT dateadd('day', 1, born) FROM patients
SELECT datediff('day', born, now()) FROM patients
SELECT year(born), month(born) FROM patients
SELECT strftime('%Y', born) FROM patients
SELECT convert(int, id) FROM wards
SELECT len(title), charindex('a', title) FROM wards
SELECT substring_index(title, ' ', 1) FROM wards
SELECT ifnull(city, 'x'), nvl(city, 'x'), iif(true, 1, 2) FROM patients
SELECT sysdate FROM wards
SELECT rownum FROM wards
SELECT id FROM wards MINUS SELECT id FROM doctors
SELECT id FROM wards WHERE title = "Surgery"
SELECT id FROM wards WHERE title REGEXP 'a'
SELECT id FROM wards WHERE title RLIKE 'a'
SELECT id FROM wards WHERE title GLOB 'a*'
SELECT id DIV 2 FROM wards
SELECT id FROM wards WHERE id == 1
SELECT id FROM wards WHERE id <=> 1
SELECT sum(beds) AS s FROM wards HAVING s > 5
SELECT count(*) AS n FROM visits GROUP BY patient_id HAVING n > 1
SELECT avg(beds::numeric)::numeric(10, 2) FROM wards
SELECT avg(title::numeric) FROM wards
SELECT max(active) FROM patients
SELECT min(payload) FROM events
SELECT max(tags), max(uid) FROM events
SELECT sum(lasted), avg(lasted), max(lasted) FROM events
SELECT sum(at_time) FROM events
SELECT born = started FROM patients, visits
SELECT born > title FROM patients, wards
SELECT id = code FROM wards, drugs
SELECT salary + title FROM doctors, wards
SELECT title || NULL, title || 5 FROM wards
SELECT NOT title FROM wards
SELECT -title FROM wards
SELECT id + NULL FROM wards
SELECT CASE WHEN id = 1 THEN 'a' WHEN id = 2 THEN 5 END FROM wards
SELECT CASE WHEN id = 1 THEN 1 ELSE 2.5 END FROM wards
SELECT CASE WHEN id = 1 THEN NULL ELSE born END FROM patients
SELECT coalesce(born, now()), coalesce(born, '2024-01-01') FROM patients
SELECT coalesce(born, 'unknown') FROM patients
SELECT coalesce(id, 'x') FROM patients
SELECT id FROM wards UNION SELECT salary FROM doctors
SELECT born FROM patients UNION SELECT title FROM wards
SELECT NULL UNION SELECT id FROM wards
SELECT 'a' UNION SELECT id FROM wards
SELECT (w).title, (w).beds FROM wards w
SELECT (w).* FROM wards w
SELECT w.title FROM wards w WHERE (w).ghost = 1
WITH RECURSIVE days AS (SELECT DATE '2024-01-01' AS d UNION ALL SELECT d + INTERVAL '1 day' FROM days WHERE d < DATE '2024-02-01') SELECT d FROM days
WITH RECURSIVE days AS (SELECT DATE '2024-01-01' AS d UNION ALL SELECT d + 1 FROM days WHERE d < DATE '2024-02-01') SELECT d FROM days
SELECT uid FROM events WHERE uid = 'abc'
SELECT uid FROM events WHERE uid = '550e8400-e29b-41d4-a716-446655440000'
SELECT payload @> '{"a": 1}', payload @> '{a}' FROM events
SELECT tags && ARRAY['a'], payload ? 'a', payload -> 'a' ->> 'b' FROM events
SELECT happened + INTERVAL '2 fortnights' FROM events
SELECT happened + INTERVAL '1 day 2 hours' AS later FROM events
SELECT DISTINCT ON (kind) kind, id FROM events ORDER BY id
WITH RECURSIVE up AS (SELECT id, title AS path FROM wards UNION ALL SELECT w.id, up.path || '/' || w.title FROM wards w JOIN up ON up.id = w.id + 1) SELECT path FROM up
WITH RECURSIVE up AS (SELECT id, title::text AS path FROM wards UNION ALL SELECT w.id, up.path || '/' || w.title FROM wards w JOIN up ON up.id = w.id + 1) SELECT path FROM up
SELECT e.key, e.value FROM events CROSS JOIN LATERAL jsonb_each_text(payload) AS e
SELECT e.key, e.ghost FROM events CROSS JOIN LATERAL jsonb_each_text(payload) AS e
SELECT e.a, e.b FROM events CROSS JOIN LATERAL jsonb_each_text(payload) AS e(a, b)
-- arrays
SELECT id FROM events WHERE tags LIKE '%a%'
SELECT id FROM events WHERE tags = 'a'
SELECT id FROM events WHERE tags IN ('a')
SELECT id FROM events WHERE tags = '{a}'
SELECT id FROM events WHERE scores > 5
SELECT id FROM events WHERE tags @> ARRAY['a'] AND tags && ARRAY['b'] AND tags || ARRAY['c'] <> '{}'
-- a relation's name as a value
SELECT row_to_json(w), to_jsonb(w), w IS NOT NULL, w = w, w::text FROM wards w
SELECT count(w), json_agg(w), array_agg(w), jsonb_agg(to_jsonb(w) - 'title') FROM wards w
SELECT (x.w).title FROM (SELECT w FROM wards w) x
SELECT coalesce(w, w), concat(w, 'x'), w || 'x' FROM wards w
SELECT g, g + 1 FROM generate_series(1, 3) AS g
SELECT t, upper(t) FROM unnest(ARRAY['a']) AS t
SELECT e ->> 'a' FROM json_array_elements('[]'::json) AS e
SELECT w.title + 1, w + 1 FROM wards w
SELECT w FROM wards w WHERE w IN (SELECT v FROM wards v)
SELECT id FROM events WHERE 'a' <> ALL (tags) AND 3 = ANY (scores)
SELECT id FROM wards WHERE id = ANY (string_to_array('a,b', ','))
SELECT id FROM wards WHERE id = ANY (string_to_array('1,2', ',')::int[]) OR id = ANY ((SELECT id FROM doctors))
-- names that are made up
SELECT id, count(*) FROM doctors GROUP BY id ORDER BY count DESC
SELECT id, count(*) FROM doctors GROUP BY id ORDER BY "count" DESC
SELECT id, sum(boss_id) FROM doctors GROUP BY id ORDER BY sum DESC
SELECT id, max(boss_id) FROM doctors GROUP BY id ORDER BY max DESC
SELECT id, avg(boss_id) FROM doctors GROUP BY id ORDER BY avg
SELECT id, round(avg(boss_id), 2) FROM doctors GROUP BY id ORDER BY round
SELECT upper(full_name) FROM doctors ORDER BY upper
SELECT upper(full_name) FROM doctors GROUP BY upper
SELECT lower(full_name) FROM doctors ORDER BY lower
SELECT coalesce(id, boss_id) FROM doctors ORDER BY coalesce
SELECT date_trunc('month', now()) FROM doctors GROUP BY date_trunc
SELECT date_trunc('month', now()) FROM doctors ORDER BY date_trunc
SELECT extract(year from now()) FROM doctors ORDER BY "extract"
SELECT extract(year from now()) FROM doctors ORDER BY extract
SELECT extract(year from now()) FROM doctors ORDER BY date_part
SELECT CASE WHEN id = 1 THEN 2 END FROM doctors ORDER BY "case"
SELECT id::text FROM doctors ORDER BY id
SELECT (id + boss_id)::text FROM doctors ORDER BY text
SELECT id::numeric FROM doctors ORDER BY "numeric"
SELECT 1::int FROM doctors ORDER BY int4
SELECT '1'::varchar FROM doctors ORDER BY varchar
SELECT true FROM doctors ORDER BY bool
SELECT row_number() OVER (ORDER BY id) FROM doctors ORDER BY row_number
SELECT sum(id) OVER (ORDER BY id) FROM doctors ORDER BY sum
SELECT count(*) FILTER (WHERE id > 1) FROM doctors ORDER BY count
SELECT length(full_name) FROM doctors ORDER BY length
SELECT substring(full_name, 1, 2) FROM doctors ORDER BY substring
SELECT substring(full_name from 1 for 2) FROM doctors ORDER BY substring
SELECT trim(full_name) FROM doctors ORDER BY btrim
SELECT trim(full_name) FROM doctors ORDER BY trim
SELECT concat(full_name, full_name) FROM doctors ORDER BY concat
SELECT string_agg(full_name, ',') FROM doctors ORDER BY string_agg
SELECT array_agg(full_name) FROM doctors ORDER BY array_agg
SELECT nullif(id, 1) FROM doctors ORDER BY "nullif"
SELECT greatest(id, boss_id) FROM doctors ORDER BY "greatest"
SELECT now() FROM doctors ORDER BY now
SELECT current_date FROM doctors ORDER BY "current_date"
SELECT to_char(now(), 'YYYY') FROM doctors GROUP BY to_char
SELECT abs(id) FROM doctors ORDER BY abs
SELECT id % 2 FROM doctors ORDER BY "?column?"
SELECT id + boss_id FROM doctors ORDER BY "?column?"
SELECT exists(select 1) FROM doctors ORDER BY "exists"
SELECT (SELECT max(beds) FROM wards) FROM doctors ORDER BY max
SELECT x.count FROM (SELECT count(*) FROM doctors) x
SELECT x.upper FROM (SELECT upper(full_name) FROM doctors) x
SELECT x.date_part FROM (SELECT extract(year from now()) FROM doctors) x
SELECT x."extract" FROM (SELECT extract(year from now()) FROM doctors) x
SELECT x.extract FROM (SELECT extract(year from now()) FROM doctors) x
SELECT x."?column?" FROM (SELECT 1) x
SELECT x."?column?" FROM (SELECT 1, 2) x
SELECT x.ghost FROM (SELECT 1) x
SELECT x."ghost" FROM (SELECT 1) x
SELECT x.bool FROM (SELECT true) x
SELECT x.int4 FROM (SELECT 1::int) x
SELECT x.abc FROM (SELECT 'abc') x
SELECT x.text FROM (SELECT 'abc'::text) x
SELECT x.date FROM (SELECT date '2020-01-01') x
SELECT x.case FROM (SELECT case when id = 1 then 2 end from doctors) x
SELECT x.full_name FROM (SELECT case when id = 1 then 2 else full_name end from doctors) x
SELECT x.id FROM (SELECT case when boss_id = 1 then 2 else id end from doctors) x
SELECT x."case" FROM (SELECT case when boss_id = 1 then 2 else id end from doctors) x
SELECT x.id FROM (SELECT (id) from doctors) x
SELECT x.id FROM (SELECT -id from doctors) x
SELECT x.id FROM (SELECT id::int from doctors) x
SELECT x.round FROM (SELECT round(avg(id), 1) from doctors) x
SELECT x.interval FROM (SELECT interval '1 day') x
SELECT x."timestamp" FROM (SELECT timestamp '2020-01-01') x
SELECT x.array FROM (SELECT array[1]) x
SELECT x.row FROM (SELECT row(1,2)) x
SELECT x.position FROM (SELECT position('id' in full_name) from doctors) x
SELECT x.left FROM (SELECT left(full_name, 1) from doctors) x
SELECT x."left" FROM (SELECT left(full_name, 1) from doctors) x
SELECT x.max FROM (SELECT (SELECT max(id) FROM doctors)) x
SELECT x.id FROM (SELECT (SELECT id FROM doctors)) x
SELECT x.coalesce FROM (SELECT coalesce(id, 1) FROM doctors) x
SELECT x.overlay FROM (SELECT overlay(full_name placing 'id' from 1) FROM doctors) x
SELECT x.current_date FROM (SELECT current_date) x
SELECT x.current_user FROM (SELECT current_user) x
SELECT x.percentile_cont FROM (SELECT percentile_cont(0.5) within group (order by id) FROM doctors) x
SELECT x.timezone FROM (SELECT now() at time zone 'UTC') x
SELECT x.like FROM (SELECT full_name like 'id' FROM doctors) x
SELECT x.date_trunc FROM (SELECT date_trunc('month', now())::date) x
SELECT x.date FROM (SELECT date_trunc('month', now())::date) x
SELECT x.numeric FROM (SELECT 1.5::numeric(10,2)) x
SELECT x.float8 FROM (SELECT 1.5::double precision) x
SELECT x.timestamptz FROM (SELECT '2020-01-01'::timestamptz) x
SELECT x.varchar FROM (SELECT 'id'::varchar(10)) x
SELECT x.int8 FROM (SELECT '1'::bigint) x
SELECT x.full_name FROM (SELECT full_name::varchar(10) FROM doctors) x
SELECT x.id FROM (SELECT cast(id as text) FROM doctors) x
SELECT count(*), count(id) FROM doctors ORDER BY count
SELECT count(*), count(*) FROM doctors ORDER BY count
SELECT max(id), max(boss_id) FROM doctors ORDER BY max
SELECT max(id), max(id) FROM doctors ORDER BY max
SELECT id AS x, boss_id AS x FROM doctors ORDER BY x
SELECT id AS x, id AS x FROM doctors ORDER BY x
SELECT id, boss_id AS id FROM doctors ORDER BY id
SELECT id, count(*) FROM doctors GROUP BY id HAVING count > 1
SELECT id, count(*) FROM doctors GROUP BY id ORDER BY count + 1
SELECT id, count(*) FROM doctors GROUP BY id ORDER BY count DESC NULLS LAST
SELECT id, count(*) FROM doctors GROUP BY id ORDER BY count, ghost
SELECT id, count(*) FROM doctors WHERE count > 1 GROUP BY id
SELECT id, count(*) FROM doctors GROUP BY count
SELECT id, count(*) FROM doctors GROUP BY id UNION SELECT id, 1 FROM wards ORDER BY count
SELECT id, 1 FROM doctors UNION SELECT id, count(*) FROM wards GROUP BY id ORDER BY count
SELECT DISTINCT upper(full_name) FROM doctors ORDER BY upper
SELECT DISTINCT upper(full_name) FROM doctors ORDER BY lower
SELECT count(*) FROM doctors ORDER BY Count
SELECT count(*) FROM doctors ORDER BY "Count"
SELECT * FROM (SELECT id, count(*) FROM doctors GROUP BY id) x ORDER BY count
SELECT * FROM (SELECT id, count(*) FROM doctors GROUP BY id) x WHERE x.count > 1
SELECT * FROM (SELECT id, count(*) FROM doctors GROUP BY id) x WHERE count > 1
SELECT * FROM (SELECT id, count(*), count(boss_id) FROM doctors GROUP BY id) x WHERE count > 1
WITH beds AS (SELECT id, count(*) FROM doctors GROUP BY id) SELECT id FROM beds WHERE count > 1 ORDER BY count
WITH beds AS (SELECT id, sum(boss_id) FROM doctors GROUP BY id) SELECT id, count FROM beds
WITH beds AS (SELECT id, 1 FROM doctors) SELECT ghost FROM beds
WITH beds AS (SELECT id, 1 FROM doctors) SELECT "ghost" FROM beds
SELECT id, rank() OVER (ORDER BY id) FROM doctors ORDER BY rank
SELECT id, rank() OVER (ORDER BY id) FROM doctors WHERE rank = 1
SELECT full_name, length(full_name) FROM doctors ORDER BY length(full_name)
SELECT full_name, length(full_name) FROM doctors GROUP BY full_name, length
SELECT upper(full_name), count(*) FROM doctors GROUP BY upper
SELECT upper(full_name), count(*) FROM doctors GROUP BY lower
SELECT upper(full_name) AS wards, count(*) FROM doctors GROUP BY upper
SELECT date_trunc('day', now()), count(*) FROM doctors GROUP BY date_trunc ORDER BY date_trunc
SELECT CASE WHEN id > 1 THEN 'x' ELSE 'y' END, count(*) FROM doctors GROUP BY "case"
SELECT id::text, count(*) FROM doctors GROUP BY id
SELECT (id + boss_id)::text, count(*) FROM doctors GROUP BY text
SELECT sum(id) FROM doctors ORDER BY sum(id)
SELECT sum(id) FROM doctors ORDER BY sum_a
SELECT coalesce(full_name, 'x') FROM doctors GROUP BY coalesce
SELECT doctors.id, wards.beds, count(*) FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY doctors.id, wards.beds ORDER BY count
SELECT id, round(avg(boss_id)) FROM doctors GROUP BY id ORDER BY avg
SELECT id, (SELECT count(*) FROM wards WHERE wards.id = doctors.id) FROM doctors ORDER BY count
SELECT id, EXISTS (SELECT 1 FROM wards) FROM doctors ORDER BY "exists"
SELECT array_agg(id) FROM doctors ORDER BY array_agg
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM doctors ORDER BY percentile_cont
SELECT count FROM (SELECT count(*) FROM doctors) AS x(count)
SELECT x.beds FROM (SELECT count(*) FROM doctors) AS x(beds) ORDER BY count
SELECT json_agg(id) FROM doctors ORDER BY json_agg
SELECT DISTINCT ON (id) id, count(*) FROM doctors GROUP BY id ORDER BY id, count
SELECT count(*) FROM doctors LIMIT count
SELECT id, count(*) FROM doctors GROUP BY 1 ORDER BY 2, count
SELECT id FROM doctors ORDER BY count
SELECT id + 1 FROM doctors GROUP BY "?column?"
SELECT id + 1, boss_id + 1 FROM doctors ORDER BY "?column?"
SELECT 'x' FROM doctors ORDER BY x
SELECT 1 FROM doctors ORDER BY "1"
INSERT INTO wards (id) SELECT count(*) FROM doctors ORDER BY count
-- types in operators, calls, branches and casts
SELECT taken - 30 FROM readings
SELECT taken - taken FROM readings
SELECT taken + 1 FROM readings
SELECT taken + interval '1 day' FROM readings
SELECT taken - interval '1 month' FROM readings
SELECT stored - stored FROM readings
SELECT stored - taken FROM readings
SELECT taken - stored FROM readings
SELECT stored + 1 FROM readings
SELECT extract(year from taken) FROM readings
SELECT extract(epoch from stored - stored) FROM readings
SELECT extract(day from taken - taken) FROM readings
SELECT extract(day from stored - stored) FROM readings
SELECT date_part('year', taken) FROM readings
SELECT date_part('day', stored - stored) FROM readings
SELECT date_part('day', taken - taken) FROM readings
SELECT date_trunc('month', taken) FROM readings
SELECT date_trunc('month', taken)::date FROM readings
SELECT date_trunc(taken, 'month') FROM readings
SELECT to_char(taken, 'YYYY-MM') FROM readings
SELECT to_char(amount, '999') FROM readings
SELECT to_char(label, 'YYYY') FROM readings
SELECT to_date(label, 'YYYY-MM-DD') FROM readings
SELECT to_date(taken, 'YYYY-MM-DD') FROM readings
SELECT age(taken) FROM readings
SELECT age(stored, taken) FROM readings
SELECT extract(year from age(taken)) FROM readings
SELECT taken >= '2020-01-01' FROM readings
SELECT taken >= '2020' FROM readings
SELECT taken = 2020 FROM readings
SELECT taken LIKE '2020%' FROM readings
SELECT taken::text LIKE '2020%' FROM readings
SELECT stored::date = '2020-01-01' FROM readings
SELECT label::date FROM readings
SELECT label::int + 1 FROM readings
SELECT label + 1 FROM readings
SELECT label || 1 FROM readings
SELECT label || id FROM readings
SELECT id || label FROM readings
SELECT id || id FROM readings
SELECT label || taken FROM readings
SELECT concat(label, id, taken) FROM readings
SELECT label > 5 FROM readings
SELECT label = 5 FROM readings
SELECT id = '5' FROM readings
SELECT id = 'x' FROM readings
SELECT id = '' FROM readings
SELECT valid = 1 FROM readings
SELECT valid = true FROM readings
SELECT valid = 'true' FROM readings
SELECT valid = 'yes' FROM readings
SELECT valid IS TRUE FROM readings
SELECT * FROM readings WHERE valid
SELECT * FROM readings WHERE NOT valid
SELECT * FROM readings WHERE id
SELECT * FROM readings WHERE label
SELECT sum(valid) FROM readings
SELECT sum(valid::int) FROM readings
SELECT avg(label) FROM readings
SELECT sum(label) FROM readings
SELECT avg(taken) FROM readings
SELECT max(valid) FROM readings
SELECT bool_or(valid) FROM readings
SELECT count(valid) FILTER (WHERE valid) FROM readings
SELECT round(amount, 1) FROM readings
SELECT round(ratio, 1) FROM readings
SELECT round(ratio::numeric, 1) FROM readings
SELECT round(avg(ratio), 2) FROM readings
SELECT round(avg(id), 2) FROM readings
SELECT round(avg(amount)) FROM readings
SELECT round(id / 2.0, 1) FROM readings
SELECT round(100.0 * id / total, 2) FROM readings
SELECT round(100 * ratio / total, 2) FROM readings
SELECT trunc(ratio, 1) FROM readings
SELECT ceil(ratio), floor(amount) FROM readings
SELECT power(id, 2), sqrt(amount) FROM readings
SELECT mod(id, 2), id % 2 FROM readings
SELECT mod(ratio, 2) FROM readings
SELECT ratio % 2 FROM readings
SELECT amount % 2 FROM readings
SELECT coalesce(label, 0) FROM readings
SELECT coalesce(id, 'x') FROM readings
SELECT coalesce(id, '0') FROM readings
SELECT coalesce(taken, 'x') FROM readings
SELECT coalesce(label, 'x'), coalesce(amount, 0) FROM readings
SELECT coalesce(taken, stored) FROM readings
SELECT coalesce(taken, '2020-01-01') FROM readings
SELECT coalesce(valid, false) FROM readings
SELECT coalesce(valid, 0) FROM readings
SELECT nullif(id, 0), nullif(label, '') FROM readings
SELECT nullif(id, '') FROM readings
SELECT nullif(label, 0) FROM readings
SELECT greatest(id, amount), least(ratio, 1) FROM readings
SELECT greatest(id, label) FROM readings
SELECT CASE WHEN valid THEN 1 ELSE 'x' END FROM readings
SELECT CASE WHEN valid THEN 1 ELSE 0.5 END FROM readings
SELECT CASE WHEN valid THEN label ELSE id END FROM readings
SELECT CASE WHEN valid THEN taken ELSE 'n/a' END FROM readings
SELECT CASE label WHEN 1 THEN 'a' END FROM readings
SELECT CASE id WHEN 1 THEN 'a' ELSE label END FROM readings
SELECT CASE WHEN id THEN 1 END FROM readings
SELECT id IN ('1', '2') FROM readings
SELECT label IN (1, 2) FROM readings
SELECT id IN (SELECT label FROM labels) FROM readings
SELECT label IN (SELECT id FROM labels) FROM readings
SELECT taken IN ('2020-01-01') FROM readings
SELECT taken BETWEEN '2020-01-01' AND '2020-12-31' FROM readings
SELECT stored BETWEEN taken AND now() FROM readings
SELECT id BETWEEN 'a' AND 'b' FROM readings
SELECT label BETWEEN 1 AND 2 FROM readings
SELECT readings.id FROM readings JOIN labels ON readings.label = labels.id
SELECT readings.id FROM readings JOIN labels ON readings.id = labels.label
SELECT readings.id FROM readings JOIN labels ON readings.taken = labels.label
SELECT readings.id FROM readings JOIN labels ON readings.total = labels.reading_id
SELECT length(id) FROM readings
SELECT length(label) > 3 FROM readings
SELECT upper(id) FROM readings
SELECT lower(taken) FROM readings
SELECT substring(label, 1, 2), left(label, 2), right(label, 1) FROM readings
SELECT substring(id, 1, 2) FROM readings
SELECT left(id, 2) FROM readings
SELECT trim(label), replace(label, 'a', 'b'), reverse(label) FROM readings
SELECT replace(id, '1', '2') FROM readings
SELECT split_part(label, ',', 1) FROM readings
SELECT position('a' in label), strpos(label, 'a') FROM readings
SELECT string_agg(label, ',') FROM readings
SELECT string_agg(id, ',') FROM readings
SELECT string_agg(id::text, ',' ORDER BY id) FROM readings
SELECT string_agg(DISTINCT label, ', ') FROM readings
SELECT array_agg(id), array_agg(label ORDER BY taken) FROM readings
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM readings
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY label) FROM readings
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY label) FROM readings
SELECT mode() WITHIN GROUP (ORDER BY label) FROM readings
SELECT lag(taken) OVER (ORDER BY taken) - taken FROM readings
SELECT taken - lag(taken) OVER (ORDER BY taken) FROM readings
SELECT stored - lag(stored) OVER (ORDER BY stored) > interval '1 hour' FROM readings
SELECT lag(amount, 1, 0) OVER (ORDER BY taken) FROM readings
SELECT lag(label, 1, 0) OVER (ORDER BY taken) FROM readings
SELECT sum(amount) OVER (ORDER BY taken ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) FROM readings
SELECT sum(amount) OVER (ORDER BY taken RANGE BETWEEN interval '7 days' PRECEDING AND CURRENT ROW) FROM readings
SELECT ntile(4) OVER (ORDER BY amount), percent_rank() OVER (ORDER BY amount) FROM readings
SELECT sum(CASE WHEN valid THEN 1 ELSE 0 END)::float / count(*) FROM readings
SELECT sum(CASE WHEN valid THEN amount END) / nullif(sum(amount), 0) FROM readings
SELECT count(*) * 100.0 / sum(count(*)) OVER () FROM readings GROUP BY label
SELECT amount::int, ratio::int, stored::time, id::text, id::boolean FROM readings
SELECT taken::int FROM readings
SELECT amount::date FROM readings
SELECT valid::text, valid::int FROM readings
SELECT taken::timestamp, stored::date FROM readings
SELECT id::date FROM readings
SELECT cast(label as decimal(10,2)), cast(label as float), cast(taken as varchar) FROM readings
SELECT now() - stored, current_date - taken, current_timestamp - taken FROM readings
SELECT now() - 7 FROM readings
SELECT current_date - 7 FROM readings
SELECT current_date - interval '7 days' < taken FROM readings
SELECT stored > now() - interval '1 hour' FROM readings
SELECT stored > current_date - 30 FROM readings
SELECT generate_series(1, 3)
SELECT g FROM generate_series(current_date - 7, current_date, interval '1 day') g
SELECT g::date FROM generate_series('2020-01-01'::date, '2020-02-01'::date, '1 day') g
SELECT abs(taken - taken) FROM readings
SELECT sign(amount), abs(id) FROM readings
SELECT random() * 10, floor(random() * 10)::int
SELECT width_bucket(amount, 0, 100, 10) FROM readings
SELECT corr(amount, ratio), stddev(amount), variance(id), regr_slope(ratio, id) FROM readings
SELECT label ~ 'a', label ~* 'b', label SIMILAR TO 'a%' FROM readings
SELECT id ~ '1' FROM readings
SELECT label LIKE id FROM readings
SELECT id LIKE '1%' FROM readings
SELECT label ILIKE '%a%' FROM readings
SELECT taken || '' FROM readings
SELECT extract(dow from taken), extract(week from stored), extract(hour from taken) FROM readings
SELECT extract(year from label) FROM readings
SELECT extract(year from '2020-01-01') FROM readings
SELECT date '2020-01-01' - taken FROM readings
SELECT interval '1 day' * id FROM readings
SELECT make_date(2020, 1, id), make_interval(days => id) FROM readings
SELECT taken + id FROM readings
SELECT taken + ratio FROM readings
SELECT taken * 2 FROM readings
SELECT -taken FROM readings
SELECT -label FROM readings
SELECT valid + 1 FROM readings
SELECT valid AND id FROM readings
SELECT id AND 1 FROM readings
SELECT max(taken) - min(taken) FROM readings
SELECT avg(taken - '2020-01-01') FROM readings
SELECT avg(stored - taken) FROM readings
SELECT sum(stored - taken) FROM readings
SELECT count(*) = 1 FROM readings
SELECT sum(amount) > '5' FROM readings
SELECT readings.* FROM readings WHERE (id, label) IN (SELECT id, label FROM labels)
SELECT readings.* FROM readings WHERE (id, taken) IN (SELECT id, label FROM labels)
SELECT id FROM readings UNION SELECT label FROM labels
SELECT id FROM readings UNION SELECT amount FROM readings
SELECT taken FROM readings UNION SELECT stored FROM readings
SELECT taken FROM readings UNION SELECT 'x'
SELECT valid FROM readings UNION SELECT 1
SELECT label FROM readings UNION SELECT NULL
SELECT stored::int FROM readings
SELECT stored::bigint FROM readings
SELECT taken::numeric FROM readings
SELECT valid::numeric FROM readings
SELECT valid::float FROM readings
SELECT valid::bigint FROM readings
SELECT avg(valid::int) FROM readings
SELECT avg(valid::float) FROM readings
SELECT id::boolean FROM readings
SELECT amount::boolean FROM readings
SELECT total::boolean FROM readings
SELECT ratio::boolean FROM readings
SELECT id::interval FROM readings
SELECT (id || ' days')::interval FROM readings
SELECT (stored - stored)::int FROM readings
SELECT (stored - stored)::text FROM readings
SELECT (taken - taken)::numeric FROM readings
SELECT (stored - stored)::time FROM readings
SELECT stored::time, stored::date, taken::timestamp, taken::timestamptz FROM readings
SELECT taken::time FROM readings
SELECT extract(epoch from stored)::int FROM readings
SELECT extract(epoch from stored)::timestamp FROM readings
SELECT to_timestamp(extract(epoch from stored))::date FROM readings
SELECT (extract(year from taken) || '-01-01')::date FROM readings
SELECT label::json, label::jsonb, label::uuid, label::interval, label::time FROM readings
SELECT id::json FROM readings
SELECT id::uuid FROM readings
SELECT id::text::int FROM readings
SELECT id::varchar(10), id::char(3), id::bpchar FROM readings
SELECT id::bit(8), id::money FROM readings
SELECT amount::money::numeric FROM readings
SELECT ratio::money FROM readings
SELECT id::oid, total::oid, amount::oid FROM readings
SELECT array_agg(id)::text FROM readings
SELECT array_agg(id)::text[] FROM readings
SELECT array_agg(taken)::int[] FROM readings
SELECT array_agg(label)::int[] FROM readings
SELECT '{1,2}'::int[] FROM readings
SELECT id::int[] FROM readings
SELECT readings::text FROM readings
SELECT readings::int FROM readings
SELECT row(1,2)::text
SELECT count(*)::int, sum(amount)::int, avg(id)::numeric(10,2) FROM readings
SELECT count(*)::date FROM readings
SELECT max(taken)::int FROM readings
SELECT cast(max(stored) - min(stored) as int) FROM readings
SELECT cast(taken as timestamp) - stored FROM readings
SELECT cast(null as int), null::date
SELECT cast(true as int), cast(1 as boolean), cast(0.5 as boolean)
SELECT cast('a' as boolean)
SELECT cast('1' as boolean), cast('t' as boolean)
SELECT cast(coalesce(id, 0) as date) FROM readings
SELECT cast(case when valid then 1 end as date) FROM readings
SELECT cast(valid as varchar), cast(valid as char) FROM readings
SELECT cast(now() as date), cast(now() as time), cast(now() as int)
SELECT current_date::int, current_timestamp::date, current_time::text
SELECT json_build_object('a', 1)::jsonb, to_json(id)::text FROM readings
SELECT (to_jsonb(readings) ->> 'id')::int, (to_jsonb(readings) -> 'id')::int FROM readings
SELECT (row_to_json(readings) -> 'id')::int FROM readings
SELECT (to_json(readings) -> 'id')::text FROM readings
SELECT interval '1 day'::text, '1 day'::interval::int
SELECT generate_series(1, 3)::date
SELECT g::int FROM generate_series(current_date, current_date, '1 day') g
SELECT int(ratio), int4(ratio), date(stored), text(id), float8(id) FROM readings
SELECT date(id) FROM readings
SELECT numeric(id) FROM readings
SELECT lag(label, 1, '0') OVER (ORDER BY taken), lag(id, 1, 0) OVER (ORDER BY taken), lag(amount, 1, 0) OVER (ORDER BY taken) FROM readings
SELECT lag(taken, 1, 0) OVER (ORDER BY taken) FROM readings
SELECT lag(id, 1, 0.5) OVER (ORDER BY taken) FROM readings
SELECT lead(label, 1, id) OVER (ORDER BY taken) FROM readings
SELECT array_position(array_agg(id), 1) FROM readings
SELECT array_append(array_agg(id), 'x') FROM readings
SELECT array_append(array_agg(label), 'x') FROM readings
SELECT array_append(array_agg(label), 1) FROM readings
SELECT width_bucket(amount, array[1, 2]) FROM readings
SELECT array_cat(array_agg(id), array_agg(amount)) FROM readings
SELECT array_cat(array_agg(id), array_agg(label)) FROM readings
SELECT label::regclass, 'readings'::regclass FROM readings
SELECT id::"char" FROM readings
SELECT label::name, id::name FROM readings
SELECT taken::date::timestamp::date FROM readings
SELECT stored AT TIME ZONE 'UTC', (stored AT TIME ZONE 'UTC')::date, taken AT TIME ZONE 'UTC' FROM readings
SELECT (taken + time '10:00')::date FROM readings
SELECT (current_date - taken) / 365 FROM readings
SELECT ((current_date - taken) / 365)::int FROM readings
SELECT (now() - stored) / 2, (now() - stored) * 2 FROM readings
SELECT (now()::date - stored::date) FROM readings
SELECT (now() - taken)::date FROM readings
SELECT date_part('day', now() - stored)::int FROM readings
SELECT extract(days from now() - stored) FROM readings
SELECT date_trunc('day', stored) = current_date FROM readings
SELECT date_trunc('day', stored)::int FROM readings
SELECT to_char(stored, 'YYYY')::int FROM readings
SELECT to_char(stored, 'YYYY') = 2020 FROM readings
SELECT to_char(stored, 'YYYY') = '2020' FROM readings
SELECT md5(label)::uuid, md5(id) FROM readings
SELECT ARRAY[id, title] FROM wards
SELECT ARRAY[id, 1.5, NULL] FROM wards
SELECT ARRAY[[1, 2], [3, 4]]
SELECT ARRAY['a', title] FROM wards
SELECT ARRAY['a', id] FROM wards
SELECT ARRAY['1', id] FROM wards
SELECT DISTINCT ON (1) title, id FROM wards ORDER BY 1
SELECT DISTINCT ON (1) title, id FROM wards ORDER BY 2
SELECT DISTINCT ON (title) title, id FROM wards ORDER BY 1, 2
SELECT DISTINCT ON (title) title, id FROM wards ORDER BY 2
SELECT DISTINCT ON (3) title, id FROM wards
SELECT DISTINCT ON (NULL) title, id FROM wards
SELECT title, beds, count(*) FROM wards GROUP BY CUBE (id)
SELECT title, beds, count(*) FROM wards GROUP BY GROUPING SETS ((id), ())
SELECT title, beds, count(*) FROM wards GROUP BY id, ROLLUP (id)
-- What models write of types, arrays, JSON and intervals
SELECT string_to_array(title, ',')[1] FROM wards
SELECT (string_to_array(title, ','))[1] FROM wards
SELECT regexp_matches(title, 'a')[1] FROM wards
SELECT (regexp_match(title, 'a'))[1] FROM wards
SELECT title[1] FROM wards
SELECT id[1] FROM wards
SELECT details['a'] FROM visits
SELECT payload['a'] FROM events
SELECT array_agg(id ORDER BY id)[1] FROM wards
SELECT (array_agg(id ORDER BY id))[1] FROM wards
SELECT (array_agg(title ORDER BY id))[1] + 1 FROM wards
SELECT extract(epoch FROM ended - started) / 3600 FROM visits
SELECT id FROM visits WHERE ended - started > 5
SELECT id FROM visits WHERE ended - started > '5 hours'
SELECT avg(ended - started) FROM visits
SELECT sum(active::int) FROM patients
SELECT sum(active) FROM patients
SELECT avg(active::int) FROM patients
SELECT count(*) FILTER (WHERE active = 1) FROM patients
SELECT count(*) FROM patients WHERE active = 'true'
SELECT count(*) FROM patients WHERE active = 'x'
SELECT count(*) FROM patients WHERE active IS 1
SELECT id FROM visits WHERE started > now() - '30 days'
SELECT id FROM visits WHERE started > now() - '30 days'::interval
SELECT id FROM visits WHERE started > current_date - 30
SELECT id FROM visits WHERE started > current_timestamp - 30
SELECT hired - '2020-01-01' FROM doctors
SELECT hired + '1 year' FROM doctors
SELECT hired + '1 year'::interval FROM doctors
SELECT hired + 365 FROM doctors
SELECT hired - hired > interval '1 day' FROM doctors
SELECT age(hired) > 5 FROM doctors
SELECT extract(year FROM age(hired)) > 5 FROM doctors
SELECT date_trunc('month', hired) = '2020-01-01' FROM doctors
SELECT to_char(hired, 'YYYY') = 2020 FROM doctors
SELECT extract(year FROM hired) = '2020' FROM doctors
SELECT extract(year FROM hired) = 'x' FROM doctors
SELECT id FROM doctors WHERE id LIKE '1%'
SELECT id FROM doctors WHERE hired LIKE '2020%'
SELECT id FROM doctors WHERE id::text LIKE '1%'
SELECT salary || '' FROM doctors
SELECT salary || id FROM doctors
SELECT round(avg(salary)) FROM doctors
SELECT round(avg(weight * height), 2) FROM patients
SELECT round(avg(weight / height ^ 2), 2) FROM patients
SELECT round((avg(weight / height))::numeric, 2) FROM patients
SELECT length(id) FROM doctors
SELECT coalesce(salary, 'none') FROM doctors
SELECT coalesce(salary::text, 'none') FROM doctors
SELECT CASE WHEN id > 1 THEN 1 ELSE 'a' END FROM doctors
SELECT CASE WHEN id > 1 THEN id ELSE full_name END FROM doctors
SELECT greatest(1, 'a') FROM doctors
SELECT string_agg(id, ',') FROM doctors
SELECT string_agg(id::text, ',') FROM doctors
SELECT array_agg(full_name || id) FROM doctors
SELECT sum(full_name) FROM doctors
SELECT min(active) FROM patients
SELECT max(details) FROM visits
SELECT max(uid) FROM events
SELECT bool_or(id) FROM doctors
SELECT to_date(hired, 'YYYY') FROM doctors
SELECT to_date(full_name, 'YYYY') - hired FROM doctors
SELECT hired::timestamp - started FROM doctors, visits
SELECT started::date - hired FROM doctors, visits
SELECT extract(day FROM started::date - hired) FROM doctors, visits
SELECT extract(day FROM started - hired) FROM doctors, visits
SELECT date_part('day', started - ended) FROM visits
SELECT date_part('day', hired - hired) FROM doctors
SELECT generate_series(1, 3) FROM wards
SELECT unnest(tags) FROM events
SELECT unnest(title) FROM wards
SELECT cardinality(tags) + 'x' FROM events
SELECT array_length(tags) FROM events
SELECT json_array_length(payload) FROM events
SELECT jsonb_array_length(payload) FROM events
SELECT jsonb_array_length(details) FROM visits
SELECT details ->> 'a' > 5 FROM visits
SELECT (details ->> 'a')::int > 5 FROM visits
SELECT details -> 'a' = 'x' FROM visits
SELECT payload -> 'a' = '"x"' FROM events
SELECT payload @> '{"a": 1}' FROM events
SELECT details @> '{"a": 1}' FROM visits
SELECT payload ? 'a' FROM events
SELECT jsonb_extract_path_text(payload, 'a', 'b') FROM events
SELECT jsonb_extract_path_text(details, 'a') FROM visits
SELECT json_extract_path_text(details, 'a') FROM visits
SELECT jsonb_each(payload) FROM events
SELECT key, value FROM events, jsonb_each(payload)
SELECT key, value FROM events, jsonb_each(details)
SELECT e->>'a' FROM events, jsonb_array_elements(payload) AS e
SELECT e->>'a' FROM events, jsonb_array_elements(payload) AS t(e)
SELECT x.a FROM events, jsonb_to_recordset(payload) AS x(a int, b text)
SELECT x.c FROM events, jsonb_to_recordset(payload) AS x(a int, b text)
SELECT id, rank() OVER w FROM doctors WINDOW w AS (PARTITION BY ward_id ORDER BY salary DESC)
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY hired) FROM doctors
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY hired) FROM doctors
SELECT mode() WITHIN GROUP (ORDER BY full_name) + 1 FROM doctors
SELECT corr(salary, id) FROM doctors
SELECT corr(full_name, id) FROM doctors
SELECT width_bucket(salary, 0, 100, 5) FROM doctors
SELECT ntile('4') OVER (ORDER BY id) FROM doctors
SELECT lag(salary, 1, 'x') OVER (ORDER BY id) FROM doctors
SELECT lag(salary, 1, 0) OVER (ORDER BY id) - 'x' FROM doctors
SELECT sum(salary) OVER (ORDER BY hired RANGE BETWEEN INTERVAL '1 month' PRECEDING AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY hired RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) FROM doctors
SELECT count(DISTINCT (id, ward_id)) FROM doctors
SELECT count(DISTINCT id, ward_id) FROM doctors
SELECT id FROM doctors WHERE (ward_id, salary) IN (SELECT ward_id, max(salary) FROM doctors GROUP BY ward_id)
SELECT id FROM doctors WHERE (ward_id, salary) = (SELECT ward_id, max(salary) FROM doctors GROUP BY ward_id)
SELECT id FROM doctors WHERE salary > ALL (SELECT price FROM drugs)
SELECT id FROM doctors WHERE salary > ANY (SELECT title FROM drugs)
SELECT id FROM doctors LIMIT 5.5
SELECT id FROM doctors LIMIT '5'
SELECT id FROM doctors FETCH FIRST 5 ROWS ONLY
SELECT id FROM doctors ORDER BY salary DESC NULLS LAST LIMIT 1 WITH TIES
SELECT id FROM doctors ORDER BY salary FETCH FIRST 1 ROW WITH TIES
SELECT make_interval(days => id) FROM doctors
SELECT make_interval(days => full_name) FROM doctors
SELECT (now() AT TIME ZONE 'UTC')::date - hired FROM doctors
SELECT timezone('UTC', started) FROM visits
SELECT to_timestamp(started) FROM visits
SELECT to_timestamp(id) FROM visits
SELECT overlay(title placing 'x' from 1 for 2) FROM wards
SELECT split_part(title, ',', 1)::int + 1 FROM wards
SELECT split_part(title, ',', 'a') FROM wards
SELECT concat(title, id, beds) FROM wards
SELECT format('%s', id, title) FROM wards
SELECT format(id, title) FROM wards
SELECT trim(id) FROM wards
SELECT upper(id) FROM wards
SELECT replace(title, 1, 'x') FROM wards
SELECT left(title, '2') FROM wards
SELECT left(id, 2) FROM wards
SELECT position('a' in id) FROM wards
SELECT strpos(title, 5) FROM wards
SELECT md5(id) FROM wards
SELECT abs(title) FROM wards
SELECT floor(title) FROM wards
SELECT mod(salary, 2) FROM doctors
SELECT height % 2 FROM patients
SELECT weight % 2 FROM patients
SELECT power(salary, 2) % 2 FROM doctors
SELECT sqrt(title) FROM wards
SELECT id / 0 FROM wards
SELECT NOT id FROM wards
SELECT id AND beds FROM wards
SELECT title IS TRUE FROM wards
SELECT id IN ('1', '2') FROM wards
SELECT id IN ('a', '2') FROM wards
SELECT id IN (1, 'a') FROM wards
SELECT title IN (1, 2) FROM wards
SELECT id BETWEEN '1' AND '5' FROM wards
SELECT id BETWEEN 'a' AND '5' FROM wards
SELECT hired BETWEEN 2019 AND 2020 FROM doctors
SELECT hired = 2020 FROM doctors
SELECT hired > 20200101 FROM doctors
SELECT started = hired FROM doctors, visits
SELECT started::time > '10:00' FROM visits
SELECT started::time > 10 FROM visits
SELECT extract(hour FROM hired) FROM doctors
SELECT extract(hour FROM started::time) FROM visits
SELECT extract(foo FROM started) FROM visits
SELECT date_trunc('foo', started) FROM visits
SELECT date_part('foo', started) FROM visits
SELECT cast(started AS varchar(10)) FROM visits
SELECT cast(started AS int) FROM visits
SELECT started::int FROM visits
SELECT hired::int FROM doctors
SELECT (hired - hired)::int FROM doctors
SELECT active::numeric FROM patients
SELECT title::boolean FROM wards
SELECT 'abc'::int
SELECT '2020-13-01'::date
SELECT '12'::int + 1
SELECT 1::boolean AND TRUE
SELECT 1.5::boolean
-- Enums: values, operators, functions, casts, arrays
SELECT id FROM shifts WHERE mood = 'calm' AND mood <> 'low' OR mood IN ('calm', 'tense')
SELECT id FROM shifts WHERE mood = 'happy'
SELECT id FROM shifts WHERE mood = 'Calm'
SELECT id FROM shifts WHERE mood IN ('calm', 'happy')
SELECT id FROM shifts WHERE mood NOT IN ('happy')
SELECT id FROM shifts WHERE mood = ''
SELECT id FROM shifts WHERE mood LIKE 'c%'
SELECT id FROM shifts WHERE mood::text LIKE 'c%' AND mood > 'calm' AND mood BETWEEN 'calm' AND 'low'
SELECT id FROM shifts WHERE mood BETWEEN 'calm' AND 'x'
SELECT id FROM shifts WHERE mood = nurse
SELECT id FROM shifts WHERE mood = nurse::mood AND mood::varchar = nurse AND nurse = 'x'
SELECT id FROM shifts WHERE mood = lower('CALM')
SELECT id FROM shifts WHERE mood = 'calm'::text
SELECT id FROM shifts WHERE mood = 'calm'::mood AND mood = CAST('low' AS mood)
SELECT id FROM shifts WHERE mood = 'happy'::mood
SELECT id FROM shifts WHERE mood = 1
SELECT id FROM shifts WHERE mood::integer = 1
SELECT id FROM shifts WHERE mood = (SELECT 'calm')
SELECT id FROM shifts WHERE mood IN (SELECT nurse FROM shifts)
SELECT id FROM shifts WHERE mood IN (SELECT mood FROM shifts) AND mood = (SELECT max(mood) FROM shifts)
SELECT id FROM shifts WHERE mood = ANY ('{calm,low}') AND mood = ANY (moods)
SELECT id FROM shifts WHERE mood = ANY ('{calm,happy}')
SELECT id FROM shifts WHERE mood = ANY (ARRAY['calm', 'low'])
SELECT id FROM shifts WHERE mood = ANY (ARRAY['calm', 'low']::mood[])
SELECT id FROM shifts WHERE mood = ANY (ARRAY['calm', 'low']::text[])
SELECT id FROM shifts WHERE (id, mood) IN ((1, 'calm'), (2, 'happy'))
SELECT upper(mood) FROM shifts
SELECT length(mood) FROM shifts
SELECT mood || '' FROM shifts
SELECT mood + 1 FROM shifts
SELECT concat(mood, id), concat_ws('-', mood, id), format('%s', mood), mood::text || id FROM shifts
SELECT coalesce(mood, 'low'), nullif(mood, 'low'), greatest(mood, 'low') FROM shifts
SELECT coalesce(mood, 'none') FROM shifts
SELECT coalesce(mood::text, 'none') FROM shifts
SELECT CASE WHEN id > 1 THEN mood ELSE 'none' END FROM shifts
SELECT CASE WHEN id > 1 THEN mood ELSE 'low' END FROM shifts
SELECT CASE mood WHEN 'calm' THEN 1 WHEN 'happy' THEN 2 END FROM shifts
SELECT CASE WHEN id > 1 THEN mood ELSE nurse END FROM shifts
SELECT mood, count(*) FROM shifts GROUP BY mood HAVING mood <> 'happy' ORDER BY mood
SELECT min(mood), max(mood), count(DISTINCT mood), array_agg(mood) FROM shifts
SELECT sum(mood) FROM shifts
SELECT string_agg(mood, ',') FROM shifts
SELECT string_agg(mood::text, ',') FROM shifts
SELECT enum_range(NULL::mood), enum_first(mood), unnest(enum_range(NULL::mood)) FROM shifts
SELECT enum_first(mood) = 'happy' FROM shifts
SELECT e.m, count(s.id) FROM unnest(enum_range(NULL::mood)) AS e(m) LEFT JOIN shifts s ON s.mood = e.m GROUP BY e.m
SELECT mood FROM shifts UNION SELECT 'total'
SELECT mood FROM shifts UNION SELECT nurse FROM shifts
SELECT mood FROM shifts UNION ALL SELECT 'low'
SELECT mood::text FROM shifts UNION ALL SELECT 'total'
SELECT moods[1] = 'calm', 'calm' = ANY (moods), moods @> ARRAY['calm']::mood[], moods @> '{calm}' FROM shifts
SELECT moods @> ARRAY['calm'] FROM shifts
SELECT moods = '{calm,happy}' FROM shifts
SELECT moods || 'calm', array_append(moods, 'low'), array_to_string(moods, ','), unnest(moods) FROM shifts
SELECT array_append(moods, 'happy') FROM shifts
SELECT lag(mood) OVER (ORDER BY id) = 'happy' FROM shifts
SELECT lag(mood, 1, 'low') OVER (ORDER BY id) FROM shifts
INSERT INTO shifts (id, mood) VALUES (1, 'calm')
INSERT INTO shifts (id, mood) VALUES (1, 'happy')
INSERT INTO shifts (id, mood) SELECT id, nurse FROM shifts
UPDATE shifts SET mood = 'happy' WHERE id = 1
UPDATE shifts SET mood = 'low', moods = '{calm}' WHERE id = 1
SELECT shifts.mood::mood::text::mood FROM shifts
-- Literals of arrays, ranges and the type of their values, polymorphic calls, types of one kind
SELECT scores = '{1,2}', scores = '{}', scores = '{1,NULL}', scores = ' {1, 2} ', tags = '{a,"b c"}' FROM events
SELECT scores = '[1,2]' FROM events
SELECT scores = '{1,x}' FROM events
SELECT scores = '1,2' FROM events
SELECT scores @> '{x}' FROM events
SELECT '{1,2}'::int[], '{a,b}'::text[], '[0:1]={1,2}'::int[], '{{1,2},{3,4}}'::int[]
SELECT '{1,b}'::int[]
SELECT '(1,2)'::int[]
SELECT array_append(scores, 'x') FROM events
SELECT array_append(scores, '5'), array_remove(scores, '1'), array_prepend('1', scores) FROM events
SELECT array_position(scores, 'x') FROM events
SELECT array_cat(scores, '{x}') FROM events
SELECT array_append(tags, 'x'), array_replace(tags, 'x', 'y') FROM events
SELECT during @> now(), during @> '2024-01-01', span @> 5, span @> '[1,2)' FROM events
SELECT during @> current_date FROM events
SELECT during && span FROM events
SELECT now() <@ during, current_date <@ during FROM events
SELECT span @> 9.5 FROM events
SELECT lower(span) + 1, upper(during) - lower(during) FROM events
SELECT lower(span) || 'x', lower(during) + 1 FROM events
SELECT lag(salary, 1, 0) OVER (ORDER BY id) - 'x' FROM doctors
SELECT details FROM visits UNION ALL SELECT payload FROM events
SELECT coalesce(details, payload) FROM visits, events
SELECT during @> '2024-01-01' FROM events
SELECT span = '5' FROM events
SELECT span = 'empty', during = '[2024-01-01,)' FROM events
WITH RECURSIVE tree(id, trail) AS (SELECT id, ARRAY[title] FROM wards UNION ALL SELECT c.id, trail || c.title FROM wards c JOIN tree ON c.beds = tree.id) SELECT * FROM tree
WITH RECURSIVE tree(id, trail) AS (SELECT id, ARRAY[title::text] FROM wards UNION ALL SELECT c.id, trail || c.title FROM wards c JOIN tree ON c.beds = tree.id) SELECT * FROM tree
SELECT current_time(0), current_timestamp(3), localtime(1), localtimestamp(2)
SELECT current_timestamp(0) > hired, current_timestamp(0) - started FROM doctors, visits
SELECT current_timestamp(0) > 5
SELECT current_timestamp()
SELECT current_timestamp('x')
SELECT current_date(1)
-- Frames by the type of their term, functions that give several rows
SELECT sum(salary) OVER (ORDER BY hired RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY hired RANGE BETWEEN '7 days' PRECEDING AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY hired RANGE BETWEEN 'x' PRECEDING AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY full_name RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY full_name RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY salary RANGE BETWEEN 5 PRECEDING AND 5.5 FOLLOWING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id RANGE BETWEEN 5 PRECEDING AND '5' FOLLOWING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id RANGE BETWEEN 5.5 PRECEDING AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY id RANGE INTERVAL '1 day' PRECEDING) FROM doctors
SELECT sum(cost) OVER (ORDER BY started RANGE BETWEEN INTERVAL '1 hour' PRECEDING AND INTERVAL '1 hour' FOLLOWING) FROM visits
SELECT sum(cost) OVER (ORDER BY started RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM visits
SELECT sum(cost) OVER (ORDER BY started DESC RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM visits
SELECT sum(cost) OVER w FROM visits WINDOW w AS (ORDER BY started RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)
SELECT sum(cost) OVER (ORDER BY started ROWS BETWEEN 'x' PRECEDING AND CURRENT ROW) FROM visits
SELECT sum(cost) OVER (ORDER BY started ROWS BETWEEN '2' PRECEDING AND CURRENT ROW) FROM visits
SELECT sum(cost) OVER (ORDER BY started ROWS BETWEEN INTERVAL '1 day' PRECEDING AND CURRENT ROW) FROM visits
SELECT sum(cost) OVER (ORDER BY started GROUPS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM visits
SELECT sum(weight) OVER (ORDER BY height RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM patients
SELECT sum(weight) OVER (ORDER BY active RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM patients
SELECT * FROM events WHERE unnest(tags) = 'a'
SELECT * FROM events WHERE 'a' IN (SELECT unnest(tags))
SELECT max(unnest(scores)) FROM events
SELECT max(n) FROM (SELECT unnest(scores) AS n FROM events) AS x
SELECT id FROM events GROUP BY id HAVING generate_series(1, 2) > 1
SELECT unnest(tags), count(*) FROM events GROUP BY 1
SELECT unnest(tags) AS t, count(*) FROM events GROUP BY unnest(tags)
SELECT e.id FROM events e JOIN wards w ON w.id = unnest(e.scores)
SELECT id FROM events LIMIT generate_series(1, 2)
SELECT id FROM events ORDER BY unnest(scores)
SELECT u FROM events, unnest(tags) WITH OFFSET AS u
SELECT string_agg(title, ',' ORDER BY title LIMIT 3) FROM wards
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN 1 + 1 PRECEDING AND CURRENT ROW) FROM doctors
-- Columns of functions and of VALUES in FROM, calls with WITHIN GROUP, OVERLAPS, position, dates and times
SELECT t FROM events, unnest(tags) AS t WHERE t = 5
SELECT t FROM events, unnest(tags) AS t WHERE t LIKE 'a%' AND length(t) > 2
SELECT t.n + 1, t.n FROM events e CROSS JOIN LATERAL unnest(e.scores) AS t(n) WHERE t.n > 5
SELECT t.n || 'x' FROM events e CROSS JOIN LATERAL unnest(e.scores) AS t(n)
SELECT upper(n) FROM events e CROSS JOIN LATERAL unnest(e.scores) AS t(n)
SELECT sum(t) FROM events, unnest(scores) t
SELECT sum(t) FROM events, unnest(tags) t
SELECT t FROM events, unnest(uid) t
SELECT t FROM events, unnest(kind) t
SELECT id, t, count(*) FROM events, unnest(tags) t GROUP BY id
SELECT t, count(*) FROM events, unnest(tags) t GROUP BY t ORDER BY count(*) DESC
SELECT t.t, count(*) FROM events, unnest(tags) t GROUP BY t
SELECT n, o + 1 FROM events, unnest(scores) WITH ORDINALITY AS t(n, o) WHERE n > 1
SELECT a, b FROM events, unnest(tags, scores) AS t(a, b) WHERE b > 1
SELECT g + 1 FROM generate_series(1, 10) g WHERE g % 2 = 0
SELECT g || 'x', upper(g) FROM generate_series(1, 10) g
SELECT g.d::date, g.d + interval '1 day' FROM generate_series('2024-01-01'::date, current_date, '1 day') AS g(d)
SELECT extract(month FROM g), g - 1 FROM generate_series('2024-01-01'::date, current_date, '1 day') AS g
SELECT g::date, count(v.id) FROM generate_series(current_date - 30, current_date, '1 day') g LEFT JOIN visits v ON v.started::date = g GROUP BY g
SELECT d, count(v.id) FROM generate_series(current_date - 30, current_date, '1 day') d LEFT JOIN visits v ON v.started::date = d::date GROUP BY d ORDER BY d
SELECT e->>'a', e.value->>'a' FROM events, jsonb_array_elements(payload) e
SELECT e + 1 FROM events, jsonb_array_elements(payload) e
SELECT (e->>'a')::int + 1, e->'b'->>'c' FROM events x CROSS JOIN LATERAL jsonb_array_elements(x.payload->'items') AS e
SELECT e.item->>'a', (e.item->>'q')::int FROM events x, jsonb_array_elements(x.payload) AS e(item)
SELECT w, count(*) FROM patients, regexp_split_to_table(notes, ' ') w GROUP BY w HAVING length(w) > 3
SELECT w + 1 FROM patients, regexp_split_to_table(notes, ' ') w
SELECT s FROM patients, string_to_table(notes, ',') s WHERE s = 'x'
SELECT k FROM events, jsonb_object_keys(payload) k WHERE k = 1
SELECT x.a, x.b FROM events, jsonb_to_recordset(payload) AS x(a int, b text) WHERE x.a > 1
SELECT x.a FROM events, jsonb_to_recordset(payload) AS x
SELECT * FROM events, jsonb_to_record(payload) x
SELECT t.a FROM (VALUES (1, 'x'), ('b', 'y')) AS t(a, b)
SELECT t.a + 1 FROM (VALUES (1, 'x'), ('2', 'y'), (NULL, 'z')) AS t(a, b)
SELECT t.a + 1 FROM (VALUES ('1'), ('2')) AS t(a)
SELECT t.a + 1 FROM (VALUES (1), (2.5)) AS t(a)
SELECT t.a || 'x' FROM (VALUES (NULL), ('a')) AS t(a)
SELECT t.column1 + 1, upper(t.column2) FROM (VALUES (1, 'x'), (2, 'y')) AS t
SELECT t.column2 + 1 FROM (VALUES (1, 'x'), (2, 'y')) AS t
SELECT w.id FROM wards w JOIN (VALUES (1, 'a'), (2, 'b')) AS v(id, name) ON v.id = w.id AND v.name = w.title
SELECT w.id FROM wards w JOIN (VALUES ('1'), ('2')) AS v(id) ON v.id = w.id
SELECT w.id FROM wards w JOIN (VALUES (1), (true)) AS v(id) ON v.id = w.id
SELECT d + 1 FROM (VALUES (date '2024-01-01'), ('2024-01-02')) AS v(d)
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY started) FROM visits
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ended - started) FROM visits
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) + 1 FROM doctors
SELECT percentile_cont(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY salary) FROM doctors
SELECT (percentile_cont(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY salary))[1] FROM doctors
SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY salary), 2) FROM doctors
SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY salary)::numeric, 2) FROM doctors
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM ended - started)) FROM visits
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY hired) - 1, percentile_disc(0.5) WITHIN GROUP (ORDER BY full_name) || 'x' FROM doctors
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY full_name) * 2 FROM doctors
SELECT percentile_cont('half') WITHIN GROUP (ORDER BY salary) FROM doctors
SELECT percentile_cont('0.5') WITHIN GROUP (ORDER BY salary) FROM doctors
SELECT mode() WITHIN GROUP (ORDER BY hired) - 1, mode() WITHIN GROUP (ORDER BY active) AND true FROM doctors, patients
SELECT rank(5) WITHIN GROUP (ORDER BY salary), percent_rank(5) WITHIN GROUP (ORDER BY salary DESC) FROM doctors
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY salary, id) FROM doctors
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY mood) FROM shifts
SELECT id FROM visits WHERE (started, ended) OVERLAPS (timestamp '2024-01-01', timestamp '2024-02-01')
SELECT id FROM visits WHERE (started, ended) OVERLAPS ('2024-01-01', '2024-02-01')
SELECT id FROM visits WHERE (started, id) OVERLAPS (timestamp '2024-01-01', timestamp '2024-02-01')
SELECT id FROM visits WHERE (started, interval '1 day') OVERLAPS (timestamp '2024-01-01', interval '1 day')
SELECT id FROM doctors WHERE (hired, hired) OVERLAPS (current_date, current_date + 1)
SELECT id FROM doctors WHERE (full_name, hired) OVERLAPS (current_date, current_date + 1)
SELECT position('a' IN full_name) + 1 FROM doctors
SELECT position(1 IN full_name) FROM doctors
SELECT position('a' IN hired) FROM doctors
SELECT count(DISTINCT details) FROM visits
SELECT count(DISTINCT payload), count(details), array_agg(DISTINCT tags) FROM events, visits
SELECT string_agg(DISTINCT details::text, ',') FROM visits
SELECT details::jsonb ? 'a', payload ? 'a' FROM visits, events
SELECT tags ? 'a' FROM events
SELECT ARRAY(SELECT id, title FROM wards)
SELECT id FROM wards WHERE (id, title) = (SELECT title, id FROM wards)
SELECT id FROM wards WHERE (id, title) = (SELECT id, title FROM wards LIMIT 1)
SELECT id FROM wards WHERE (id, title) IN (SELECT title, id FROM wards)
SELECT id FROM visits WHERE started > '08:00'
SELECT id FROM visits WHERE started > '08:00:00.5' OR started::time > '08:00' OR started::time > '8:00 pm'
SELECT id FROM visits WHERE started::time > '08:00:00.5' OR started::time > '8:00 pm' OR started > '2024-01-01 08:00'
SELECT id FROM visits WHERE started > '3 days'
SELECT id FROM visits WHERE started > '30 days ago'
SELECT started - '3 days' FROM visits
SELECT happened - '2 hours' FROM events
SELECT started - '3 days'::interval, lasted > '3 days' FROM visits, events
SELECT scores[1:2] = '{1,2}', scores[1:2] || 3, scores[2:], tags[:2] @> ARRAY['a'] FROM events
SELECT scores[1:2] + 1 FROM events
SELECT scores[1][2] + 1, tags[1][1] || 'x' FROM events
SELECT scores['a'] FROM events
SELECT scores['1'] FROM events
SELECT (scores[1])[1] FROM events
SELECT t.name FROM events, unnest(tags) AS t
SELECT at_time + at_time FROM events
SELECT at_time - at_time, at_time + lasted, at_time::interval + at_time FROM events
SELECT hired + at_time, hired + interval '1 day', at_time + hired FROM doctors, events
SELECT amount * amount FROM events
SELECT amount / amount, amount * 2, 2 * amount, amount / 2.5 FROM events
SELECT id FROM events WHERE ANY (tags) = 'a'
SELECT id FROM events WHERE ALL (SELECT id FROM wards) > 1
WITH made AS (INSERT INTO wards (id) VALUES (1) RETURNING id), moved AS (UPDATE doctors SET ward_id = made.id FROM made RETURNING doctors.*) SELECT count(*) FROM moved, made
WITH old AS (SELECT id FROM wards), gone AS (DELETE FROM doctors USING old WHERE old.id = doctors.ward_id RETURNING doctors.id) INSERT INTO wards (id) SELECT id FROM gone
WITH gone AS (DELETE FROM doctors USING ghost WHERE ghost.id = doctors.ward_id RETURNING doctors.id) SELECT id FROM gone
WITH RECURSIVE t AS (SELECT id, boss_id FROM doctors WHERE boss_id IS NULL UNION ALL SELECT d.id, d.boss_id FROM doctors d JOIN t ON d.boss_id = t.id) SEARCH DEPTH FIRST BY id SET place SELECT id, place FROM t ORDER BY place
WITH RECURSIVE t AS (SELECT id, boss_id FROM doctors UNION ALL SELECT d.id, d.boss_id FROM doctors d JOIN t ON d.boss_id = t.id) CYCLE id SET is_cycle USING path SELECT id, is_cycle, path FROM t
WITH RECURSIVE t AS (SELECT id, boss_id FROM doctors UNION ALL SELECT d.id, d.boss_id FROM doctors d JOIN t ON d.boss_id = t.id) CYCLE id SET is_cycle USING path SELECT id, ghost FROM t
SELECT w.title, r.n FROM wards w, ROWS FROM (generate_series(1, 3), generate_series(1, 2)) AS r(n, m)
SELECT xmlelement(name a, xmlattributes(title AS b), title) FROM wards
SELECT ARRAY[]
SELECT ARRAY[]::text[], ARRAY[]::int[] || 1
SELECT j.ward_id, d.id FROM doctors d JOIN (SELECT 1 AS ward_id) AS w USING (ward_id) AS j
SELECT j.ghost FROM doctors d JOIN (SELECT 1 AS ward_id) AS w USING (ward_id) AS j
SELECT j.full_name FROM doctors d JOIN (SELECT 1 AS ward_id) AS w USING (ward_id) AS j
SELECT j.id FROM wards JOIN doctors USING (id) AS j JOIN visits v ON v.id = j.id WHERE j.id > 3
SELECT id FROM wards ORDER BY title USING <, id USING >
SELECT id FROM wards ORDER BY ghost USING <
INSERT INTO wards (id, title) OVERRIDING SYSTEM VALUE VALUES (1, 'a')
INSERT INTO wards (id, ghost) OVERRIDING USER VALUE VALUES (1, 'a')
SELECT @ -5, @ (3 - 4)
SELECT (point(1, 2))[0] + 1, (box(point(1, 2), point(3, 4)))[0]
SELECT (beds)[0] FROM wards
SELECT n FROM generate_series(1, 3) AS t(n, m)
SELECT n FROM generate_series(1, 3) WITH ORDINALITY AS t(n, m)
SELECT n FROM generate_series(1, 3) WITH ORDINALITY AS t(n, m, o)
SELECT a FROM unnest(ARRAY[1, 2]) AS t(a, b)
SELECT a FROM unnest(ARRAY[1, 2], ARRAY[3]) AS t(a, b)
SELECT a FROM ROWS FROM (generate_series(1, 3), generate_series(1, 5)) AS t(a, b)
SELECT t.tag FROM events e, unnest(e.tags) WITH ORDINALITY AS t(tag, place)
SELECT t.tag FROM events e, unnest(e.tags) AS t(tag, place)
SELECT t.x FROM regexp_split_to_table('a b', ' ') AS t(x, y)
SELECT k FROM jsonb_each('{}') AS t(k, v)
SELECT ARRAY[1, 2][1]
SELECT (ARRAY[1, 2])[1]
SELECT array_agg(id ORDER BY id) FILTER (WHERE id > 1) OVER () FROM wards
SELECT array_agg(id) OVER (ORDER BY id) FROM wards
SELECT interval(0) '1.5 seconds'
SELECT 5!
SELECT cidr '10.0.0.0/8' >> inet '10.1.2.3', macaddr '08:00:2b:01:02:03'
SELECT id FROM wards WHERE circle '((0,0),5)' @> point '(1,1)' AND int4range '[1,5)' @> beds
SELECT ghost '10.0.0.0/8' FROM wards
SELECT beds 'a' FROM wards
SELECT int4 'abc'
WITH RECURSIVE g AS (SELECT id, boss_id FROM doctors UNION ALL SELECT d.id, d.boss_id FROM g JOIN doctors d ON d.boss_id = g.id) SEARCH DEPTH FIRST BY id SET place CYCLE id SET looped USING path SELECT id, looped, path, place FROM g WHERE NOT looped
WITH RECURSIVE g AS (SELECT id, boss_id FROM doctors UNION ALL SELECT d.id, d.boss_id FROM g JOIN doctors d ON d.boss_id = g.id) SEARCH DEPTH FIRST BY id SET place CYCLE id SET looped USING path SELECT id, paths FROM g
SELECT time(started) FROM visits
SELECT timestamp(started) FROM visits
SELECT "time"(started), "timestamp"(born) FROM visits, patients
SELECT pg_catalog.time(started) FROM visits
SELECT varchar(full_name) FROM patients
SELECT time(3) '10:00'
SELECT percentile_cont(0.9) OVER (PARTITION BY city) FROM patients
SELECT mode() OVER () FROM patients
SELECT v.k, v.x FROM patients p, LATERAL (VALUES ('weight', p.weight::text), ('city', p.city)) AS v(k, x)
SELECT v.k, v.x FROM patients p, LATERAL (VALUES ('weight', p.weight), ('city', p.city)) AS v(k, x)
SELECT v.x + 1 FROM patients p, LATERAL (VALUES ('weight', p.weight), ('height', p.height)) AS v(k, x)
VALUES (1, 'a'), ('x', 'b')
VALUES (1, 'a'), ('2', 'b')
SELECT * FROM wards WHERE id IN (VALUES (1), ('x'))
UPDATE events SET payload->>'seen' = 'yes'
UPDATE events SET upper(kind) = 'abc'
MERGE INTO wards w USING doctors d ON w.id = d.ward_id WHEN NOT MATCHED BY SOURCE THEN DELETE
MERGE INTO wards w USING doctors d ON w.id = d.ward_id WHEN MATCHED THEN DELETE RETURNING w.id
SELECT payload->'a' IS NULL, payload->'a'->>'b' = 'x' FROM events WHERE payload->'a' = '1'
SELECT t.value FROM events e CROSS JOIN LATERAL unnest(e.tags) AS t
SELECT t, t.t, t.upper FROM events e CROSS JOIN LATERAL unnest(e.tags) AS t
SELECT value FROM events e CROSS JOIN LATERAL unnest(e.tags) AS t
SELECT t.ordinality FROM events e CROSS JOIN LATERAL unnest(e.tags) WITH ORDINALITY AS t
SELECT g.n FROM generate_series(1, 3) AS g
SELECT g.g, g FROM generate_series(1, 3) AS g
SELECT e, e.value->>'a', value->>'a', e->>'a' FROM events, jsonb_array_elements(payload) AS e
SELECT e.elem FROM events, jsonb_array_elements(payload) AS e
SELECT e.elem FROM events, jsonb_array_elements(payload) AS e(elem)
SELECT k.key FROM events, jsonb_object_keys(payload) AS k
SELECT w.word FROM patients, regexp_split_to_table(notes, ' ') AS w
SELECT d.day FROM generate_series(now() - interval '3 days', now(), '1 day') AS d
INSERT INTO drugs (code, stock) SELECT * FROM generate_series(1, 3) g
WITH gone AS (DELETE FROM drugs WHERE stock = 0 RETURNING code, price * 2 AS p) SELECT code, p FROM gone
WITH gone AS (DELETE FROM drugs WHERE stock = 0 RETURNING code) SELECT title FROM gone
WITH gone AS (DELETE FROM drugs WHERE stock = 0 RETURNING *) SELECT title, stock + 1 FROM gone
WITH new AS (INSERT INTO drugs (code) VALUES ('a') RETURNING code AS c) SELECT code FROM new
WITH up AS (UPDATE visits v SET cost = d.salary FROM doctors d WHERE d.id = v.doctor_id RETURNING v.*, d.full_name) SELECT full_name, cost FROM up
WITH up AS (UPDATE visits v SET cost = d.salary FROM doctors d WHERE d.id = v.doctor_id RETURNING *) SELECT id FROM up
WITH gone AS (DELETE FROM drugs RETURNING code, stock) INSERT INTO given (visit_id, drug_code) SELECT * FROM gone
SELECT id FROM patients WHERE full_name ILIKE ('A%', 'B%')
SELECT id FROM patients WHERE full_name ILIKE ANY (ARRAY['A%', 'B%'])
SELECT id FROM patients WHERE full_name = current_role
UPDATE wards SET (title, beds) = (DEFAULT, 3)
UPDATE wards SET (title, beds) = ROW('a', DEFAULT) WHERE id = 1
UPDATE wards SET (title, ghost) = (DEFAULT, 3)
UPDATE wards SET (title, beds) = ('a', DEFAULT, 1)
UPDATE readings SET (label, taken) = ('a', 5)
UPDATE wards SET (title, beds) = (SELECT full_name, id FROM doctors d WHERE d.ward_id = wards.id)
UPDATE readings SET (label, taken) = (SELECT full_name, id FROM doctors d WHERE d.ward_id = readings.id)
UPDATE wards SET (title, beds) = (SELECT full_name FROM doctors d WHERE d.ward_id = wards.id)
UPDATE wards w SET (title, id) = (d.full_name, d.id) FROM doctors d WHERE d.ward_id = w.id
UPDATE wards w SET (w.title, beds) = ('a', 1)
UPDATE wards SET beds = (SELECT id, ward_id FROM doctors LIMIT 1)
UPDATE wards SET beds = (SELECT * FROM doctors LIMIT 1)
INSERT INTO wards VALUES (1, 'a', 2) ON CONFLICT (id) DO UPDATE SET (title, beds) = (EXCLUDED.title, DEFAULT)
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN MATCHED THEN UPDATE SET (title, beds) = (d.full_name, DEFAULT)
SELECT 1 WHERE EXISTS (TABLE wards)
SELECT 1 WHERE EXISTS (TABLE ghost)
SELECT 1 WHERE EXISTS (VALUES (1)) AND NOT EXISTS ((SELECT 1))
SELECT 1 WHERE EXISTS ((SELECT ghost FROM wards))
SELECT 1 WHERE EXISTS ((SELECT id FROM wards) UNION (SELECT 1))
SELECT id FROM wards WHERE id IN (TABLE ghost)
SELECT inet '10.0.0.1' <<= '10.0.0.0/8', '10.0.0.0/8'::cidr >>= inet '10.0.0.1' AND id > 3 FROM wards
SELECT id <<= '10.0.0.0/8' FROM wards
SELECT ghost <<= inet '10.0.0.0/8' FROM wards
SELECT title ~>=~ 'a' FROM wards WHERE title ~<~ 'b'
SELECT beds OPERATOR(pg_catalog.+) 3 FROM wards
SELECT beds OPERATOR(pg_catalog.@>) 3 FROM wards
SELECT inet '300.1.1.1'
SELECT 'localhost'::inet
SELECT '10.0.0.1/24'::inet, '::1'::inet, '2001:db8::/32'::cidr, '10.0'::cidr
SELECT xmlparse(CONTENT '<a/>'), xmlparse(DOCUMENT notes) FROM patients
SELECT xmlserialize(CONTENT xmlparse(CONTENT notes) AS text) FROM patients
SELECT xmlserialize(CONTENT ghost AS text) FROM patients
SELECT xmlexists('//a' PASSING BY VALUE xmlparse(CONTENT notes)), xmlexists('//a' PASSING xmlparse(CONTENT notes)) FROM patients
SELECT xmlexists('//a', xmlparse(CONTENT notes)) FROM patients
SELECT title IS NORMALIZED, title IS NOT NFC NORMALIZED FROM wards WHERE title IS NFKD NORMALIZED
SELECT ghost IS NORMALIZED FROM wards
SELECT nfc normalized FROM (SELECT 1 AS nfc) t
SELECT normalized FROM (SELECT 1 AS normalized) t
SELECT sum(beds) OVER (GROUPS 1 PRECEDING) FROM wards
SELECT sum(beds) OVER (ORDER BY id GROUPS 1 PRECEDING) FROM wards
SELECT rank() OVER (w ORDER BY beds) FROM wards WINDOW w AS (PARTITION BY title ORDER BY id)
SELECT rank() OVER (w ORDER BY beds) FROM wards WINDOW w AS (PARTITION BY title)
SELECT sum(beds) OVER (w ROWS 2 PRECEDING) FROM wards WINDOW w AS (ORDER BY id)
SELECT sum(beds) OVER (w ROWS 2 PRECEDING) FROM wards WINDOW w AS (ORDER BY id ROWS 1 PRECEDING)
SELECT payload->>'site', count(*) FROM events GROUP BY payload->>'Site'
SELECT payload->'a'->>'site', count(*) FROM events GROUP BY payload->'a'->>'site'
SELECT percentile_cont(weight / 100) WITHIN GROUP (ORDER BY height) FROM patients
SELECT weight, percentile_cont(weight / 100) WITHIN GROUP (ORDER BY height) FROM patients GROUP BY weight
SELECT rank(id) WITHIN GROUP (ORDER BY id) FROM patients
SELECT percentile_cont(max(height) / 300) WITHIN GROUP (ORDER BY height) FROM patients
WITH g AS (DELETE FROM wards WHERE id = 1) SELECT count(*) FROM g
WITH g AS (DELETE FROM wards WHERE id = 1) SELECT count(*) FROM wards
WITH g AS (UPDATE wards SET beds = 1), h AS (SELECT * FROM g) SELECT 1
SELECT w.row_to_json, w.to_jsonb FROM wards w
SELECT w.title, w.name FROM wards w
SELECT json_array_length(payload->'a') FROM events
SELECT jsonb_array_length(payload->'a'->'b'), jsonb_typeof(payload->0) FROM events
SELECT lower(payload->'a'->>'b'), lower(payload->'a') FROM events
SELECT jsonb_array_length(ghost->'a') FROM events
SELECT json_object('a', 1)
SELECT json_object('{a, 1}'), json_object('{a}', '{b}')
SELECT json_object(title, beds) FROM wards
SELECT array_append(scores, 1), coalesce(scores, [1, 2]) FROM events
INSERT INTO events (id, scores) VALUES (1, [1, 2])
INSERT INTO events (id, scores) VALUES (1, ARRAY[1, 2]), (2, '{1}')
SELECT ARRAY[[1, 2], [3, 4]], ARRAY[ARRAY[1], ARRAY[2]], scores[1], scores[1:2] FROM events
SELECT INTERVAL v.cost || ' minutes' FROM visits v
SELECT interval v FROM (SELECT 1 AS interval) t
SELECT ward_id FROM doctors a RIGHT JOIN (SELECT id AS ward_id, title FROM wards) b USING (ward_id) GROUP BY b.ward_id
SELECT ward_id FROM doctors a RIGHT JOIN (SELECT id AS ward_id, title FROM wards) b USING (ward_id) GROUP BY a.ward_id
SELECT b.ward_id FROM doctors a RIGHT JOIN (SELECT id AS ward_id, title FROM wards) b USING (ward_id) GROUP BY ward_id
SELECT w.id, w.title, count(*) FROM wards v RIGHT JOIN wards w USING (id) GROUP BY id
SELECT w.title, count(*) FROM wards v LEFT JOIN wards w USING (id) GROUP BY id
SELECT x.tag, x.n FROM events e, unnest(e.tags) WITH ORDINALITY AS x(tag, n)
SELECT x.tag, x.ordinality FROM events e, unnest(e.tags) WITH ORDINALITY AS x(tag, n)
SELECT x.tag, x.ordinality + 1 FROM events e, unnest(e.tags) WITH ORDINALITY AS x(tag)
SELECT x.tag, x.index FROM events e CROSS JOIN LATERAL unnest(e.tags) WITH ORDINALITY AS x(tag, n)
SELECT x.k, x.v FROM events e, jsonb_each(e.payload) WITH ORDINALITY AS x(k, v, i) WHERE i = 1
SELECT x.key, x.ordinality FROM events e, jsonb_each(e.payload) WITH ORDINALITY AS x
SELECT x.ghost FROM events e, jsonb_each(e.payload) WITH ORDINALITY AS x
SELECT x.family FROM events e, jsonb_array_elements(e.payload) x
SELECT x.text, x.upper FROM events e, unnest(e.tags) x
UPDATE events SET span = span * '[1,5)', during = during + tstzrange(now(), NULL)
UPDATE events SET span = int8range(1, 2) * int8range(2, 3)
SELECT upper(span * '[1,)') - 1, (span - int4range(1, 3)) && span FROM events
SELECT id FROM doctors WHERE salary > ALL (VALUES (1), (2)) OR salary < SOME (WITH a AS (SELECT 1) SELECT * FROM a)
SELECT id FROM doctors WHERE salary = ANY (VALUES ('a'), ('b'))
SELECT x.id FROM XMLTABLE('//r' PASSING xml('<r/>') COLUMNS id int PATH '@id') x WHERE x.id > 3
SELECT x.ghost FROM XMLTABLE('//r' PASSING xml('<r/>') COLUMNS id int PATH '@id') AS x
