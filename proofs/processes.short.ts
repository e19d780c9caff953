import { E9 } from './processes/e9-token-forgery.ts';
import { E10 } from './processes/e10-token-storage.ts';
import { I3 } from './processes/i3-oversized-bodies.ts';
import { I8 } from './processes/i8-memory-held.ts';
import { J3 } from './processes/j3-log-injection.ts';
import { shortForm } from './short-form.ts';

shortForm(E9, E10, I3, I8, J3);
