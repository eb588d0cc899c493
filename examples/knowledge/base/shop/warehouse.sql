-- Tables of the analytics warehouse (ClickHouse). Not reachable from the shop database.

-- One row for each day, country and channel.
CREATE TABLE dw_orders_daily (
  day Date,
  country FixedString(2),
  channel String,
  orders_total UInt32,
  revenue_total Decimal(18, 2)
);

-- The customers as they were at midnight.
CREATE TABLE dw_users_snapshot (
  snapshot_day Date,
  user_key UInt64,
  segment String,
  lifetime_value Decimal(18, 2)
);

-- Parcels with the hours that each stage took.
CREATE TABLE dw_shipment_stages (
  shipment_key UInt64,
  stage String,
  hours Float32
);

-- Orders that were anonymised for the data science team.
CREATE TABLE ds_orders_masked (
  order_hash String,
  user_hash String,
  amount_bucket String,
  week Date
);
