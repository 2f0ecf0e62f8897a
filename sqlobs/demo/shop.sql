-- The web shop that the demo asks about. Money is in euros, times are UTC.
CREATE TABLE categories (
  category_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  parent_id INTEGER REFERENCES categories (category_id)
);

CREATE TABLE suppliers (
  supplier_id INTEGER PRIMARY KEY,
  company_name TEXT NOT NULL,
  country TEXT NOT NULL,
  lead_time_days INTEGER NOT NULL
);

CREATE TABLE products (
  product_id INTEGER PRIMARY KEY,
  sku TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL REFERENCES categories (category_id),
  supplier_id INTEGER NOT NULL REFERENCES suppliers (supplier_id),
  list_price NUMERIC(10, 2) NOT NULL,
  unit_cost NUMERIC(10, 2) NOT NULL,
  weight_grams INTEGER NOT NULL,
  introduced_on DATE NOT NULL,
  discontinued_on DATE
);

CREATE TABLE warehouses (
  warehouse_id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  city TEXT NOT NULL,
  country TEXT NOT NULL
);

CREATE TABLE inventory (
  product_id INTEGER NOT NULL REFERENCES products (product_id),
  warehouse_id INTEGER NOT NULL REFERENCES warehouses (warehouse_id),
  on_hand INTEGER NOT NULL,
  reorder_level INTEGER NOT NULL,
  PRIMARY KEY (product_id, warehouse_id)
);

CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  country TEXT NOT NULL,
  city TEXT NOT NULL,
  segment TEXT NOT NULL CHECK (segment IN ('consumer', 'business', 'school')),
  signed_up_on DATE NOT NULL,
  newsletter INTEGER NOT NULL CHECK (newsletter IN (0, 1))
);

CREATE TABLE coupons (
  coupon_id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  percent_off INTEGER NOT NULL,
  valid_from DATE NOT NULL,
  valid_until DATE NOT NULL
);

CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (customer_id),
  coupon_id INTEGER REFERENCES coupons (coupon_id),
  ordered_at TIMESTAMP NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('placed', 'paid', 'shipped', 'delivered', 'cancelled')),
  channel TEXT NOT NULL CHECK (channel IN ('web', 'app', 'marketplace')),
  shipping_fee NUMERIC(10, 2) NOT NULL,
  total_amount NUMERIC(10, 2) NOT NULL
);

CREATE TABLE order_items (
  order_item_id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (order_id),
  product_id INTEGER NOT NULL REFERENCES products (product_id),
  quantity INTEGER NOT NULL,
  unit_price NUMERIC(10, 2) NOT NULL
);

CREATE TABLE payments (
  payment_id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (order_id),
  method TEXT NOT NULL CHECK (method IN ('card', 'paypal', 'invoice', 'transfer')),
  amount NUMERIC(10, 2) NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('captured', 'failed', 'refunded')),
  paid_at TIMESTAMP NOT NULL
);

CREATE TABLE shipments (
  shipment_id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (order_id),
  warehouse_id INTEGER NOT NULL REFERENCES warehouses (warehouse_id),
  carrier TEXT NOT NULL,
  tracking_code TEXT NOT NULL UNIQUE,
  shipped_at TIMESTAMP NOT NULL,
  delivered_at TIMESTAMP
);

CREATE TABLE returns (
  return_id INTEGER PRIMARY KEY,
  order_item_id INTEGER NOT NULL REFERENCES order_items (order_item_id),
  requested_at TIMESTAMP NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('damaged', 'wrong item', 'too late', 'not as described', 'changed mind')),
  returned_quantity INTEGER NOT NULL,
  refund_amount NUMERIC(10, 2) NOT NULL
);

CREATE TABLE reviews (
  review_id INTEGER PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES products (product_id),
  customer_id INTEGER NOT NULL REFERENCES customers (customer_id),
  rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
  title TEXT NOT NULL,
  written_at TIMESTAMP NOT NULL
);

CREATE TABLE support_tickets (
  ticket_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (customer_id),
  order_id INTEGER REFERENCES orders (order_id),
  topic TEXT NOT NULL CHECK (topic IN ('delivery', 'payment', 'product', 'return', 'account')),
  priority TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high')),
  opened_at TIMESTAMP NOT NULL,
  closed_at TIMESTAMP
);
