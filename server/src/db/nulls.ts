/** What a left join found, or a null in each column where it found nothing. */
export type OrNulls<Row> = Row | { [Column in keyof Row]: null };
