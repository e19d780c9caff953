import type { Merchant } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Fields } from '../../db/fields.ts';

export const merchantFields: Fields<Merchant> = {
  id: sql`s.merchant_id`,
  site_id: sql`s.site_id`,
  name: sql`s.merchant_name`,
};
