CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, city VARCHAR(40), joined_on DATE);
CREATE TABLE product (id INTEGER PRIMARY KEY, title VARCHAR(40) NOT NULL, category VARCHAR(20), price NUMERIC(8, 2));
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), ordered_on DATE, state VARCHAR(10));
CREATE TABLE purchase_line (purchase_id INTEGER REFERENCES purchase (id), product_id INTEGER REFERENCES product (id), quantity INTEGER);
INSERT INTO customer VALUES (1, 'Ada', 'Berlin', '2024-01-10'), (2, 'Ben', 'Paris', '2024-02-11'), (3, 'Cleo', 'Berlin', '2024-03-12'), (4, 'Dan', 'Rome', '2024-04-13'), (5, 'Eve', NULL, '2024-05-14');
INSERT INTO product VALUES (1, 'Lamp', 'home', 32.50), (2, 'Desk', 'office', 240.00), (3, 'Chair', 'office', 99.90), (4, 'Rug', 'home', 75.00), (5, 'Pen', 'office', 2.40), (6, 'Vase', 'home', 32.50);
INSERT INTO purchase VALUES (1, 1, '2025-01-05', 'paid'), (2, 1, '2025-02-07', 'paid'), (3, 2, '2025-02-20', 'open'), (4, 3, '2025-03-01', 'paid'), (5, 4, '2025-03-15', 'refunded'), (6, 2, '2025-04-02', 'paid'), (7, 1, '2025-04-30', 'open');
INSERT INTO purchase_line VALUES (1, 1, 2), (1, 5, 10), (2, 2, 1), (3, 3, 4), (4, 4, 1), (4, 1, 1), (5, 2, 1), (6, 5, 50), (6, 3, 1), (7, 4, 2);
