import type { Handler } from '../http/pipeline/handler.ts';
import { exportFiles } from '../shop/invoices/archive.ts';
import * as documents from '../shop/invoices/documents.ts';
import { getFile } from '../shop/invoices/files.ts';

export const listDocuments: Handler<'dashboard.listDocuments'> = ({ shop, query }) => documents.list(shop, query);

export const getDocument: Handler<'dashboard.getDocument'> = ({ shop, path }) => documents.get(shop, path.document_id);

export const getDocumentFile: Handler<'dashboard.getDocumentFile'> = ({ shop, path }) =>
  getFile(shop, path.document_id, path.format);

export const exportDocuments: Handler<'dashboard.exportDocuments'> = ({ shop, query }) => exportFiles(shop, query);
