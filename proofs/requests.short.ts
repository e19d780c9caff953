import { D7 } from './d7-hostile-numbers.ts';
import { H1 } from './h1-one-effect.ts';
import { H2 } from './h2-key-reuse.ts';
import { H3 } from './h3-replay-window.ts';
import { H4 } from './h4-key-forms.ts';
import { H5 } from './h5-refusals.ts';
import { H6 } from './h6-contract-fuzz.ts';
import { H7 } from './h7-other-judges.ts';
import { H8 } from './h8-odd-texts.ts';
import { H10 } from './h10-safe-requests.ts';
import { I1 } from './i1-patterns.ts';
import { J8 } from './j8-dependencies.ts';
import { shortForm } from './short-form.ts';

shortForm(H1, H2, H3, H4, H5, H6, H7, H8, I1, J8, D7, H10);
