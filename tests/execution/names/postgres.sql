-- A small shop, and next to it everything by which PostgreSQL calls code of users without their
-- function being named. Every trap calls canary(), which leaves a file outside the transaction.
CREATE EXTENSION pg_trgm;
CREATE EXTENSION unaccent;
CREATE EXTENSION citext;
CREATE EXTENSION fuzzystrmatch;
CREATE EXTENSION tablefunc;
CREATE EXTENSION dblink;

CREATE DOMAIN email AS text CHECK (VALUE ~ '^[^@]+@[^@]+$');
CREATE TYPE status AS ENUM ('open', 'paid', 'shipped');
CREATE TYPE address AS (street text, city text);
CREATE TABLE customers (
  id int PRIMARY KEY, name text NOT NULL, country text, mail email, nick citext, home address,
  tags text[], created date
);
CREATE TABLE products (
  id int PRIMARY KEY, name text, category text, price numeric(10, 2),
  attributes jsonb, valid daterange
);
CREATE TABLE orders (
  id int PRIMARY KEY, customer_id int REFERENCES customers, product_id int REFERENCES products,
  quantity int, total numeric(10, 2), state status, placed timestamp, note text,
  CHECK (quantity > 0)
);
INSERT INTO customers
SELECT i, 'Customer ' || i, (ARRAY['DE', 'FR', 'US'])[1 + i % 3], 'c' || i || '@example.com',
       ('Nick' || i)::citext, ROW('Street ' || i, 'City ' || i % 4)::address,
       ARRAY['a', 'b'], DATE '2025-01-01' + i
FROM generate_series(1, 20) i;
INSERT INTO products
SELECT i, 'Product ' || i, (ARRAY['toys', 'books'])[1 + i % 2], i * 3.5,
       jsonb_build_object('color', 'red', 'sizes', jsonb_build_array(1, 2)),
       daterange('2025-01-01', '2026-01-01')
FROM generate_series(1, 10) i;
INSERT INTO orders
SELECT i, 1 + i % 20, 1 + i % 10, 1 + i % 3, i * 2.25,
       (ARRAY['open', 'paid', 'shipped'])[1 + i % 3]::status,
       TIMESTAMP '2025-03-01 10:00' + i * INTERVAL '7 hours', 'Note ' || i
FROM generate_series(1, 100) i;
CREATE INDEX ON orders (lower(note));
CREATE VIEW sales AS
  SELECT c.country, p.category, sum(o.total) AS revenue, count(*) AS orders
  FROM orders o JOIN customers c ON c.id = o.customer_id JOIN products p ON p.id = o.product_id
  GROUP BY c.country, p.category;
CREATE VIEW best_sales AS SELECT * FROM sales WHERE revenue > 100;
CREATE TABLE visits (id int, day date, pages int) PARTITION BY RANGE (day);
CREATE TABLE visits_2025 PARTITION OF visits FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
INSERT INTO visits SELECT i, DATE '2025-01-01' + i, i % 7 FROM generate_series(1, 50) i;
CREATE TABLE tenants (id int, owner text);
INSERT INTO tenants VALUES (1, 'reader'), (2, 'other');
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON tenants USING (owner = current_user OR current_user = 'pg_read_all_data');

-- The traps.
CREATE FUNCTION canary() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN COPY (SELECT 1) TO '%CANARY%'; RETURN 1; END $$;
CREATE FUNCTION sure_canary() RETURNS int IMMUTABLE LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN RETURN public.canary(); END $$;
CREATE TABLE bait (id int, word text);
INSERT INTO bait VALUES (1, 'x'), (2, 'y');
CREATE FUNCTION on_row(bait) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION on_any(anyelement) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION on_record(record) RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN RETURN public.canary(); END $$;
CREATE FUNCTION on_compatible(anycompatible) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION on_plain(anynonarray) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE DOMAIN bait_domain AS bait;
CREATE FUNCTION on_domain(bait_domain) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION on_many(VARIADIC anyarray) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION on_default(bait, int DEFAULT 1) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION on_rows(bait) RETURNS SETOF int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION "Été"(bait) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk(bait) RETURNS int
  LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION round(text) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION abs(bait) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION first(text) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION final(text) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION text(bait) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION generate_series(text) RETURNS SETOF int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION "extract"(text, bait) RETURNS int LANGUAGE sql AS 'SELECT public.canary()';
CREATE FUNCTION text_add(int, text) RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN 1; END $$;
CREATE AGGREGATE sum(text) (SFUNC = text_add, STYPE = int, INITCOND = '0');
CREATE AGGREGATE total(int) (SFUNC = int4pl, STYPE = int, INITCOND = '0');
CREATE FUNCTION text_int(text, int) RETURNS boolean LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN true; END $$;
CREATE OPERATOR = (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR <> (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR < (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR <= (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR > (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR >= (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR ~~ (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR !~~ (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR ~~* (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR !~~* (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR ~ (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE OPERATOR !~ (LEFTARG = text, RIGHTARG = int, FUNCTION = text_int);
CREATE FUNCTION int_text(int, text) RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN 1; END $$;
CREATE OPERATOR * (LEFTARG = int, RIGHTARG = text, FUNCTION = int_text);
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
CREATE FUNCTION minus_text(text) RETURNS text LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN 'x'; END $$;
CREATE OPERATOR - (RIGHTARG = text, FUNCTION = minus_text);
-- A type of users' with operators and an operator class of its own.
CREATE TYPE size AS (width int, height int);
CREATE FUNCTION size_lt(size, size) RETURNS boolean LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN true; END $$;
CREATE OPERATOR < (LEFTARG = size, RIGHTARG = size, FUNCTION = size_lt);
CREATE FUNCTION size_le(size, size) RETURNS boolean LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN true; END $$;
CREATE OPERATOR <= (LEFTARG = size, RIGHTARG = size, FUNCTION = size_le);
CREATE FUNCTION size_eq(size, size) RETURNS boolean LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN true; END $$;
CREATE OPERATOR = (LEFTARG = size, RIGHTARG = size, FUNCTION = size_eq);
CREATE FUNCTION size_ge(size, size) RETURNS boolean LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN true; END $$;
CREATE OPERATOR >= (LEFTARG = size, RIGHTARG = size, FUNCTION = size_ge);
CREATE FUNCTION size_gt(size, size) RETURNS boolean LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN true; END $$;
CREATE OPERATOR > (LEFTARG = size, RIGHTARG = size, FUNCTION = size_gt);
CREATE FUNCTION size_cmp(size, size) RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN 0; END $$;
CREATE OPERATOR CLASS size_ops DEFAULT FOR TYPE size USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
  FUNCTION 1 size_cmp(size, size);
CREATE TABLE boxes (id int, content size, sizes size[]);
INSERT INTO boxes VALUES (1, ROW(1, 2), ARRAY[ROW(1, 2)::size]), (2, ROW(3, 4), NULL);
-- An enum whose class compares by the server's operators, and sorts by a function of users'.
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE FUNCTION mood_cmp(mood, mood) RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN 0; END $$;
CREATE OPERATOR CLASS mood_ops DEFAULT FOR TYPE mood USING btree AS
  OPERATOR 1 < (anyenum, anyenum), OPERATOR 2 <= (anyenum, anyenum), OPERATOR 3 = (anyenum, anyenum),
  OPERATOR 4 >= (anyenum, anyenum), OPERATOR 5 > (anyenum, anyenum),
  FUNCTION 1 mood_cmp(mood, mood);
CREATE TABLE feelings (id int, felt mood);
INSERT INTO feelings VALUES (1, 'sad'), (2, 'happy');
-- Casts.
CREATE TYPE weight AS (grams int);
CREATE FUNCTION weight_of(int) RETURNS weight LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN ROW(1)::public.weight; END $$;
CREATE CAST (int AS weight) WITH FUNCTION weight_of(int);
CREATE FUNCTION weight_text(weight) RETURNS text LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN 'x'; END $$;
CREATE CAST (weight AS text) WITH FUNCTION weight_text(weight) AS IMPLICIT;
CREATE TABLE parcels (id int, heavy weight);
INSERT INTO parcels VALUES (1, ROW(5));
-- Checks of domains, also inside rows, arrays and ranges.
CREATE FUNCTION is_price(text) RETURNS boolean LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN true; END $$;
CREATE DOMAIN price AS text CHECK (is_price(VALUE));
CREATE DOMAIN dear_price AS price;
CREATE TYPE priced AS (amount price);
CREATE TABLE offers (id int, amount price, amounts price[], whole priced);
CREATE FUNCTION gap(float8, float8) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN 1; END $$;
CREATE TYPE span AS RANGE (SUBTYPE = float8, SUBTYPE_DIFF = gap);
CREATE TABLE spans (id int, part span);
ALTER TABLE spans SET (autovacuum_enabled = off);
INSERT INTO spans SELECT i, span(i, i + 1) FROM generate_series(1, 200) i;
-- Views, policies, indexes, statistics, checks, partitions.
CREATE VIEW baited AS SELECT id, public.canary() AS ran FROM bait;
CREATE VIEW deep AS SELECT * FROM (SELECT * FROM baited) inner_view;
CREATE VIEW by_operator AS SELECT id FROM bait WHERE word LIKE 1;
CREATE VIEW sleeping AS SELECT pg_sleep(0.1)::text AS slept, id FROM bait;
CREATE VIEW remote AS SELECT * FROM dblink('dbname=shop', 'SELECT 1') AS t (a int);
CREATE VIEW notes AS SELECT b.on_row AS ran FROM bait b;
CREATE TABLE guarded (id int);
INSERT INTO guarded VALUES (1);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY trap ON guarded USING (public.canary() = 1);
CREATE VIEW over_guarded AS SELECT * FROM guarded;
ALTER TABLE guarded OWNER TO clerk;
ALTER TABLE guarded FORCE ROW LEVEL SECURITY;
ALTER VIEW over_guarded OWNER TO clerk;
CREATE VIEW secure_guarded WITH (security_invoker) AS SELECT * FROM guarded;
CREATE FUNCTION quiet(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.canary(); RETURN 1; END $$;
CREATE TABLE indexed (id int) WITH (autovacuum_enabled = off);
INSERT INTO indexed SELECT generate_series(1, 100);
CREATE INDEX ON indexed ((id + quiet(1)));
CREATE TABLE partially (id int) WITH (autovacuum_enabled = off);
CREATE INDEX ON partially (id) WHERE quiet(2) = 1;
CREATE TABLE counted (id int, n int) WITH (autovacuum_enabled = off);
CREATE STATISTICS counted_both ON (id + quiet(3)), n FROM counted;
CREATE TABLE checked (id int, CHECK (id > quiet(4)));
CREATE TABLE parent (id int);
CREATE TABLE child (CHECK (id > quiet(5))) INHERITS (parent);
CREATE VIEW over_indexed AS SELECT * FROM indexed;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC;
ANALYZE;
-- Defining all this ran some of it.
