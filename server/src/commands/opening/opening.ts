import type { ProductImport, SettingsPatch, ShippingOptionInput } from '@commerce-backend/spec';

/** All that a shop is opened with. */
export interface Opening {
  name: string;
  currency: string;
  staff: { email: string; name: string };
  /** The password for the login; null to have one made. */
  password: string | null;
  settings: SettingsPatch;
  shipping_options: ShippingOptionInput[];
  products: ProductImport[];
}
