CREATE TABLE bills (id integer PRIMARY KEY, visit_id integer, net numeric(8,2), tax numeric(8,2), gross numeric(8,2) GENERATED ALWAYS AS (net + tax) STORED, UNIQUE (visit_id, net));
CREATE SEQUENCE numbers;
