import { shortForm } from '../testing/short-form.ts';
import { C17 } from './failover.ts';

shortForm(C17);
