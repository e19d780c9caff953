import { shortForm } from '../testing/short-form.ts';
import { C16 } from './connection-pooler.ts';

shortForm(C16);
