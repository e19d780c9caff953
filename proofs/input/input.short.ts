import { shortForm } from '../testing/short-form.ts';
import { H6 } from './contract-fuzz.ts';
import { J2 } from './error-bodies.ts';
import { D7 } from './hostile-numbers.ts';
import { J3 } from './log-injection.ts';
import { H8 } from './odd-texts.ts';
import { I3 } from './oversized-bodies.ts';
import { A8 } from './read-only-fields.ts';
import { I1 } from './slow-patterns.ts';

shortForm(A8, D7, H6, H8, I1, I3, J2, J3);
