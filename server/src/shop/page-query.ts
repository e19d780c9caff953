/** Lists by page: `page` from 1, `limit` 1–100, 20 when absent. */
export interface PageQuery {
  page?: number;
  limit?: number;
}

/** What each page of a list contains besides its entries. */
export interface Page {
  total: number;
  page: number;
  limit: number;
  pages: number;
}

export function pageOf({ page = 1, limit = 20 }: PageQuery): { page: number; limit: number; offset: number } {
  return { page, limit, offset: (page - 1) * limit };
}
