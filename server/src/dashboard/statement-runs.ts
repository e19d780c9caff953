import type { Handler } from '../http/pipeline/handler.ts';
import * as statementRuns from '../shop/orders/statement-runs.ts';

export const listStatementRuns: Handler<'dashboard.listStatementRuns'> = ({ shop }) => statementRuns.list(shop);

export const undoStatementRun: Handler<'dashboard.undoStatementRun'> = ({ shop, path }) =>
  statementRuns.undo(shop, path.statement_run_id);
