import { shortForm } from '../testing/short-form.ts';
import { H4 } from './key-forms.ts';
import { H2 } from './key-reuse.ts';
import { H1 } from './one-effect.ts';
import { H10 } from './reads-change-nothing.ts';
import { H3 } from './replay-window.ts';
import { H5 } from './replayed-rejections.ts';

shortForm(H1, H2, H3, H4, H5, H10);
