-- The schema before the move to MySQL 8 in March 2023. Kept for old backups.

CREATE TABLE users (
  uid INT PRIMARY KEY,
  nickname VARCHAR(40),
  is_vip TINYINT(1) NOT NULL DEFAULT 0,
  reg_time INT NOT NULL COMMENT 'unix seconds'
);

CREATE TABLE orders (
  id INT PRIMARY KEY,
  uid INT NOT NULL,
  total_fee FLOAT NOT NULL COMMENT 'before discounts, in fen',
  state TINYINT NOT NULL COMMENT '0 new, 1 paid, 2 sent, 9 cancelled',
  create_time INT NOT NULL COMMENT 'unix seconds'
);

CREATE TABLE order_goods (
  id INT PRIMARY KEY,
  order_id INT NOT NULL,
  goods_id INT NOT NULL,
  num INT NOT NULL,
  price FLOAT NOT NULL
);

CREATE TABLE refund_requests (
  id INT PRIMARY KEY,
  order_id INT NOT NULL,
  money FLOAT NOT NULL COMMENT 'in fen',
  handled TINYINT(1) NOT NULL DEFAULT 0
);

CREATE TABLE stock (
  goods_id INT PRIMARY KEY,
  num INT NOT NULL
);
