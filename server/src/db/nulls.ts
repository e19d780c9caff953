/** A row of a left join, whose columns are all null if there is none. */
export type OrNulls<Row> = Row | { [Column in keyof Row]: null };
