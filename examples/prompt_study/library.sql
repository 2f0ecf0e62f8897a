CREATE TABLE author (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, country VARCHAR(20));
CREATE TABLE book (id INTEGER PRIMARY KEY, title VARCHAR(60) NOT NULL, author_id INTEGER REFERENCES author (id), published INTEGER, pages INTEGER);
CREATE TABLE member (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, level VARCHAR(10));
CREATE TABLE loan (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES book (id), member_id INTEGER REFERENCES member (id), lent_on DATE, returned_on DATE);
INSERT INTO author VALUES (1, 'Okri', 'Nigeria'), (2, 'Borges', 'Argentina'), (3, 'Lem', 'Poland'), (4, 'Tokarczuk', 'Poland');
INSERT INTO book VALUES (1, 'Songs', 1, 1991, 500), (2, 'Ficciones', 2, 1944, 174), (3, 'The Aleph', 2, 1949, 160), (4, 'Solaris', 3, 1961, 204), (5, 'Fiasco', 3, 1986, 322), (6, 'Flights', 4, 2007, 416), (7, 'Drive Your Plow', 4, 2009, 274);
INSERT INTO member VALUES (1, 'Ines', 'gold'), (2, 'Jon', 'basic'), (3, 'Kim', 'basic'), (4, 'Lou', 'gold');
INSERT INTO loan VALUES (1, 4, 1, '2025-01-02', '2025-01-20'), (2, 2, 1, '2025-01-22', NULL), (3, 4, 2, '2025-02-01', '2025-02-25'), (4, 6, 3, '2025-02-03', '2025-02-13'), (5, 7, 3, '2025-02-14', NULL), (6, 5, 2, '2025-03-01', '2025-03-08'), (7, 4, 3, '2025-03-10', '2025-03-30');
