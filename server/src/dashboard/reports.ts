import type { Handler } from '../http/pipeline/handler.ts';
import * as salesReport from '../shop/merchant/sales-report.ts';

export const getSalesReport: Handler<'dashboard.getSalesReport'> = ({ shop, query }) => salesReport.get(shop, query);
