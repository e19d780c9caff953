/** A row of a left join. All columns are null if no row matches. */
export type OrNulls<Row> = Row | { [Column in keyof Row]: null };
