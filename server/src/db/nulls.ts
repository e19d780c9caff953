/** A row of a left join, or null in each column if there is none. */
export type OrNulls<Row> = Row | { [Column in keyof Row]: null };
