-- Schema of the shop database, MySQL 8.0. Generated from production; all times are UTC.

-- Customers: one row for each person who registered.
CREATE TABLE users (
  id BIGINT UNSIGNED PRIMARY KEY,
  name VARCHAR(80) NOT NULL,
  email VARCHAR(190) NOT NULL,
  vip_level TINYINT NOT NULL DEFAULT 0 COMMENT '0 none, 1 silver, 2 gold, 3 platinum',
  country_code CHAR(2) NOT NULL,
  registered_at DATETIME NOT NULL,
  deleted_at DATETIME NULL COMMENT 'set when the account was closed'
);

-- Orders, one row each, whatever became of them.
CREATE TABLE orders (
  order_id BIGINT UNSIGNED PRIMARY KEY,
  user_id BIGINT UNSIGNED NOT NULL REFERENCES users (id),
  amount DECIMAL(12,2) NOT NULL COMMENT 'after discounts, in yuan',
  status ENUM('created','paid','shipped','completed','cancelled') NOT NULL,
  channel ENUM('app','web','mini_program') NOT NULL,
  coupon_id BIGINT UNSIGNED NULL,
  order_date DATETIME NOT NULL
);

-- The lines of an order.
CREATE TABLE order_items (
  order_id BIGINT UNSIGNED NOT NULL REFERENCES orders (order_id),
  line_no SMALLINT NOT NULL,
  product_id BIGINT UNSIGNED NOT NULL REFERENCES products (product_id),
  quantity INT NOT NULL,
  unit_price DECIMAL(10,2) NOT NULL COMMENT 'price at the time of the order',
  PRIMARY KEY (order_id, line_no)
);

-- What is sold.
CREATE TABLE products (
  product_id BIGINT UNSIGNED PRIMARY KEY,
  title VARCHAR(200) NOT NULL,
  category_id INT NOT NULL REFERENCES categories (category_id),
  list_price DECIMAL(10,2) NOT NULL,
  is_listed BOOLEAN NOT NULL DEFAULT TRUE
);

-- The tree of categories; a root has no parent.
CREATE TABLE categories (
  category_id INT PRIMARY KEY,
  parent_id INT NULL REFERENCES categories (category_id),
  label VARCHAR(60) NOT NULL
);

-- Attempts to pay. An order may have several; at most one is 'captured'.
CREATE TABLE payments (
  payment_id BIGINT UNSIGNED PRIMARY KEY,
  order_id BIGINT UNSIGNED NOT NULL REFERENCES orders (order_id),
  method ENUM('card','wechat','alipay','balance') NOT NULL,
  state ENUM('pending','captured','failed','voided') NOT NULL,
  captured_at DATETIME NULL
);

-- Money given back.
CREATE TABLE refunds (
  refund_id BIGINT UNSIGNED PRIMARY KEY,
  order_id BIGINT UNSIGNED NOT NULL REFERENCES orders (order_id),
  refund_amount DECIMAL(12,2) NOT NULL,
  reason_code VARCHAR(20) NOT NULL COMMENT 'DAMAGED, LATE, CHANGED_MIND, WRONG_ITEM',
  refunded_at DATETIME NOT NULL
);

-- Coupons that marketing hands out.
CREATE TABLE coupons (
  coupon_id BIGINT UNSIGNED PRIMARY KEY,
  code VARCHAR(24) NOT NULL UNIQUE,
  discount_type ENUM('percent','fixed') NOT NULL,
  discount_value DECIMAL(8,2) NOT NULL,
  expires_on DATE NOT NULL
);

-- Parcels. An order may be sent in several.
CREATE TABLE shipments (
  shipment_id BIGINT UNSIGNED PRIMARY KEY,
  order_id BIGINT UNSIGNED NOT NULL REFERENCES orders (order_id),
  warehouse_id INT NOT NULL,
  carrier VARCHAR(30) NOT NULL,
  dispatched_at DATETIME NULL,
  delivered_at DATETIME NULL
);

-- What lies where.
CREATE TABLE inventory (
  warehouse_id INT NOT NULL,
  product_id BIGINT UNSIGNED NOT NULL REFERENCES products (product_id),
  on_hand INT NOT NULL,
  reserved INT NOT NULL DEFAULT 0,
  reorder_point INT NOT NULL,
  PRIMARY KEY (warehouse_id, product_id)
);

-- Reviews by customers.
CREATE TABLE reviews (
  review_id BIGINT UNSIGNED PRIMARY KEY,
  product_id BIGINT UNSIGNED NOT NULL,
  user_id BIGINT UNSIGNED NOT NULL,
  stars TINYINT NOT NULL CHECK (stars BETWEEN 1 AND 5),
  is_hidden BOOLEAN NOT NULL DEFAULT FALSE,
  created_at DATETIME NOT NULL
);

-- Visits of the web site and the app, 90 days of them.
CREATE TABLE visits (
  visit_id BIGINT UNSIGNED PRIMARY KEY,
  user_id BIGINT UNSIGNED NULL,
  landing_path VARCHAR(300) NOT NULL,
  utm_source VARCHAR(60) NULL,
  started_at DATETIME NOT NULL
);

-- Questions and complaints.
CREATE TABLE support_tickets (
  ticket_id BIGINT UNSIGNED PRIMARY KEY,
  user_id BIGINT UNSIGNED NOT NULL,
  order_id BIGINT UNSIGNED NULL,
  topic VARCHAR(40) NOT NULL,
  opened_at DATETIME NOT NULL,
  first_reply_at DATETIME NULL,
  closed_at DATETIME NULL
);

-- Points that customers collect; negative when they are spent.
CREATE TABLE loyalty_ledger (
  entry_id BIGINT UNSIGNED PRIMARY KEY,
  user_id BIGINT UNSIGNED NOT NULL,
  points INT NOT NULL,
  kind ENUM('earned','spent','expired') NOT NULL,
  booked_at DATETIME NOT NULL
);
