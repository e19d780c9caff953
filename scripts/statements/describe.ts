import pg from 'pg';

/** A result column as PostgreSQL describes it without running the statement. */
export interface DescribedColumn {
  name: string;
  /** OID of the column's type. */
  type: number;
  /**
   * Table and column, such as `products.name`; undefined for an expression. Behind an outer join, the value may be
   * null.
   */
  from: string | undefined;
  /** Whether the table's column may be null. */
  nullable: boolean;
}

export type Described = { columns: DescribedColumn[] } | { error: string };

interface Field {
  name: string;
  dataTypeID: number;
  tableID: number;
  columnID: number;
}

/** Parts of `pg` that its types do not declare. */
interface ProtocolConnection {
  parse(statement: { text: string; name: string; types: number[] }): void;
  describe(what: { type: 'S'; name: string }): void;
  sync(): void;
}

/** Matches statements that depend on earlier ones: cursors and temporary tables. */
const DEPENDENT = /^\s*fetch\b|\bpg_temp\./i;

const SYNTAX_ERROR = '42601';

/** Sends Parse and Describe without Execute, so nothing runs. */
class Description {
  readonly done: Promise<Field[]>;
  readonly #text: string;
  readonly #resolve: (fields: Field[]) => void;
  readonly #reject: (error: Error) => void;
  #fields: Field[] = [];

  constructor(text: string) {
    const { promise, resolve, reject } = Promise.withResolvers<Field[]>();
    this.#text = text;
    this.done = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: ProtocolConnection): void {
    connection.parse({ text: this.#text, name: '', types: [] });
    connection.describe({ type: 'S', name: '' });
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.#fields = fields;
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#fields);
  }
}

/** Describes statements in a database with the schema. */
export class Describer {
  readonly #client: pg.Client;
  readonly #columns: Map<string, { name: string; nullable: boolean }>;

  private constructor(client: pg.Client, columns: Map<string, { name: string; nullable: boolean }>) {
    this.#client = client;
    this.#columns = columns;
  }

  static async connect(url: string): Promise<Describer> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('set search_path = commerce, public');
    const columns = await client.query<{ key: string; name: string; nullable: boolean }>(
      `select attrelid || '.' || attnum as key, c.relname || '.' || attname as name, not attnotnull as nullable
        from pg_attribute a join pg_class c on c.oid = a.attrelid where attnum > 0 and relkind in ('r', 'p')`,
    );
    return new Describer(client, new Map(columns.rows.map((column) => [column.key, column])));
  }

  /** Returns undefined for a text with several statements, and for statements that depend on earlier ones. */
  async describe(text: string): Promise<Described | undefined> {
    if (DEPENDENT.test(text)) return undefined;
    const description = new Description(text);
    this.#client.query(description as unknown as pg.Submittable);
    try {
      const fields = await description.done;
      return { columns: fields.map((field) => this.#columnOf(field)) };
    } catch (error) {
      const { code, message, position } = error as pg.DatabaseError;
      if (code === SYNTAX_ERROR && message.includes('multiple commands')) return undefined;
      const near = position
        ? text
            .slice(Number(position) - 1)
            .split('\n')[0]
            ?.slice(0, 60)
        : undefined;
      return { error: near ? `${message}, at: ${near}` : message };
    }
  }

  end(): Promise<void> {
    return this.#client.end();
  }

  #columnOf({ name, dataTypeID, tableID, columnID }: Field): DescribedColumn {
    const column = this.#columns.get(`${tableID}.${columnID}`);
    return { name, type: dataTypeID, from: column?.name, nullable: column?.nullable ?? false };
  }
}
