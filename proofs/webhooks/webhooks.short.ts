import { shortForm } from '../testing/short-form.ts';
import { G5 } from './dead-receivers.ts';
import { G6 } from './duplicates.ts';
import { G4 } from './forbidden-addresses.ts';
import { G1 } from './killed-workers.ts';
import { G2 } from './retry-schedule.ts';
import { G7 } from './secrets-in-events.ts';
import { G3 } from './signatures.ts';

shortForm(G1, G2, G3, G4, G5, G6, G7);
