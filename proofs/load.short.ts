import { I7 } from './i7-code-guessing.ts';
import { I2 } from './processes/i2-slow-clients.ts';
import { I4 } from './processes/i4-expensive-reads.ts';
import { shortForm } from './short-form.ts';

shortForm(I2, I4, I7);
