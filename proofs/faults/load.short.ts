import { shortForm } from '../testing/short-form.ts';
import { J6 } from './backups.ts';
import { J8 } from './dependencies.ts';
import { I4 } from './expensive-reads.ts';
import { I8 } from './memory-growth.ts';
import { I2 } from './slow-clients.ts';

shortForm(I2, I4, I8, J6, J8);
