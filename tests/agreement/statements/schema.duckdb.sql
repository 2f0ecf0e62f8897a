CREATE TABLE studies (id integer PRIMARY KEY, arms varchar[], counts integer[], site struct(town varchar, head struct(label varchar, since date)), steps struct(title varchar, price numeric(8,2), done date)[], marks map(varchar, double), place double[2], stage enum('open', 'shut'), shift time, bag json, either_way union(n integer, t varchar), ward_id integer);
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE moods (mood mood);
CREATE TABLE bills (id integer PRIMARY KEY, visit_id integer, net numeric(8,2), tax numeric(8,2), gross numeric(8,2) GENERATED ALWAYS AS (net + tax) VIRTUAL, UNIQUE (visit_id, net));
CREATE VIEW crowded AS SELECT title FROM wards WHERE beds > 9;
