CREATE TABLE patient (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, born INTEGER, ward VARCHAR(20));
CREATE TABLE doctor (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, specialty VARCHAR(20));
CREATE TABLE visit (id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patient (id), doctor_id INTEGER REFERENCES doctor (id), seen_on DATE, fee NUMERIC(8, 2));
CREATE TABLE prescription (visit_id INTEGER REFERENCES visit (id), drug VARCHAR(20), days INTEGER);
INSERT INTO patient VALUES (1, 'Mia', 1980, 'north'), (2, 'Nils', 1955, 'south'), (3, 'Olga', 1991, 'north'), (4, 'Pia', 2010, NULL), (5, 'Quin', 1972, 'south');
INSERT INTO doctor VALUES (1, 'Roth', 'heart'), (2, 'Sato', 'skin'), (3, 'Tran', 'heart'), (4, 'Udo', 'eyes');
INSERT INTO visit VALUES (1, 1, 1, '2025-01-08', 120.00), (2, 2, 1, '2025-01-09', 80.00), (3, 3, 2, '2025-02-10', 60.00), (4, 1, 3, '2025-02-11', 200.00), (5, 5, 2, '2025-03-12', 60.00), (6, 2, 3, '2025-03-13', 150.00), (7, 1, 1, '2025-03-14', 120.00);
INSERT INTO prescription VALUES (1, 'aspirin', 7), (1, 'statin', 30), (2, 'statin', 90), (3, 'cream', 14), (4, 'aspirin', 10), (6, 'statin', 30), (7, 'aspirin', 7);
