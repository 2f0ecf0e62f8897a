CREATE TABLE events (id bigint PRIMARY KEY, happened timestamptz, tags text[], payload jsonb, span int4range, during tstzrange, uid uuid, amount money, scores integer[], kind char(3), lasted interval, at_time time);
CREATE TABLE readings (id integer PRIMARY KEY, taken date, stored timestamp, amount numeric(10,2), ratio double precision, label varchar(40), valid boolean, total bigint);
CREATE TABLE labels (id integer, reading_id integer, label varchar(9), taken date);
CREATE TYPE mood AS ENUM ('calm', 'tense', 'low');
CREATE TABLE shifts (id integer PRIMARY KEY, nurse text, mood mood, moods mood[]);
CREATE TABLE bills (id integer PRIMARY KEY, visit_id integer, net numeric(8,2), tax numeric(8,2), gross numeric(8,2) GENERATED ALWAYS AS (net + tax) STORED, UNIQUE (visit_id, net));
