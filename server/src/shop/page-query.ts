/** `page` from 1; `limit` 1–100, default 20. */
export interface PageQuery {
  page?: number;
  limit?: number;
}

export interface Page {
  total: number;
  page: number;
  limit: number;
  pages: number;
}

export function pageOf({ page = 1, limit = 20 }: PageQuery): { page: number; limit: number; offset: number } {
  return { page, limit, offset: (page - 1) * limit };
}
