import type { Handler } from '../http/pipeline/handler.ts';
import * as files from '../shop/files/files.ts';

export const createFile: Handler<'dashboard.createFile'> = ({ shop, baseUrl, body }) =>
  files.announce(shop, body, baseUrl);

export const getFile: Handler<'dashboard.getFile'> = ({ shop, path }) => files.get(shop, path.file_id);
