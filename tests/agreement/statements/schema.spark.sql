CREATE TABLE customers (customer_id BIGINT, name STRING, email STRING, signup_date DATE, country STRING, tags ARRAY<STRING>, address STRUCT<street: STRING, city: STRING, zip: STRING, geo: STRUCT<lat: DOUBLE, lon: DOUBLE>>, preferences MAP<STRING, STRING>);
CREATE TABLE orders (order_id BIGINT, customer_id BIGINT, ordered_at TIMESTAMP, status STRING, total DECIMAL(12,2), is_gift BOOLEAN, items ARRAY<STRUCT<sku: STRING, quantity: INT, price: DECIMAL(10,2)>>, payment STRUCT<method: STRING, installments: INT>, ship_date DATE);
CREATE TABLE products (sku STRING, title STRING, category STRING, price DECIMAL(10,2), weight DOUBLE, attributes MAP<STRING, STRING>, added_on DATE);
CREATE TABLE events (event_id STRING, user_id BIGINT, event_type STRING, event_time TIMESTAMP, payload STRING, props MAP<STRING, DOUBLE>, dt STRING);
CREATE TABLE employees (emp_id INT, name STRING, dept STRING, manager_id INT, salary DECIMAL(10,2), hired DATE);
CREATE TABLE inventory (warehouse STRING, sku STRING, on_hand INT, counted_at TIMESTAMP);
