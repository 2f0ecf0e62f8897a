CREATE TABLE wards (id integer PRIMARY KEY, title varchar(40), beds integer);
CREATE TABLE doctors (id integer PRIMARY KEY, full_name varchar(80), ward_id integer, salary numeric(10,2), hired date, boss_id integer);
CREATE TABLE patients (id integer PRIMARY KEY, full_name varchar(80), born date, city varchar(40), weight numeric(5,1), height double precision, active boolean, notes text);
CREATE TABLE visits (id integer PRIMARY KEY, patient_id integer, doctor_id integer, started timestamp, ended timestamp, cost numeric(10,2), reason text, details json);
CREATE TABLE drugs (code varchar(12) PRIMARY KEY, title varchar(40), price numeric(8,2), stock bigint);
CREATE TABLE given (visit_id integer, drug_code varchar(12), dose integer, PRIMARY KEY (visit_id, drug_code));
CREATE TABLE "Lab Results" ("Visit ID" integer, "value" double precision, unit varchar(10), "Order" integer);
