CREATE TABLE customers (customer_id INT64, name STRING, email STRING, age INT64, signup_date DATE, address STRUCT<city STRING, country STRING, geo STRUCT<lat FLOAT64, lon FLOAT64>>, tags ARRAY<STRING>);
CREATE TABLE orders (order_id INT64, customer_id INT64, order_ts TIMESTAMP, order_date DATE, amount NUMERIC, status STRING, items ARRAY<STRUCT<sku STRING, qty INT64, price FLOAT64>>);
CREATE TABLE products (sku STRING, category STRING, brand STRING, price FLOAT64);
CREATE TABLE events (user_id INT64, ts TIMESTAMP, event_date DATE, kind STRING, payload JSON, raw STRING);
