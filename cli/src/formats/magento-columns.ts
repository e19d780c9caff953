const NAMES = [
  'sku',
  'store_view_code',
  'product_type',
  'categories',
  'name',
  'description',
  'short_description',
  'weight',
  'product_online',
  'visibility',
  'price',
  'special_price',
  'special_price_from_date',
  'special_price_to_date',
  'cost',
  'url_key',
  'base_image',
  'base_image_label',
  'additional_images',
  'additional_image_labels',
  'additional_attributes',
  'qty',
  'is_in_stock',
  'manage_stock',
  'use_config_manage_stock',
  'allow_backorders',
  'use_config_backorders',
  'notify_on_stock_below',
  'use_config_notify_stock_qty',
  'configurable_variations',
  'configurable_variation_labels',
] as const;

export type MagentoColumn = (typeof NAMES)[number];

/** The columns of Magento 2's product CSV that the import uses. Their names have not changed between versions. */
export const MAGENTO_COLUMNS = Object.fromEntries(NAMES.map((name) => [name, [name]])) as unknown as Record<
  MagentoColumn,
  readonly string[]
>;
