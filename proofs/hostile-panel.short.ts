import { L4 } from './panel/l4-hostile-panel.ts';
import { shortForm } from './short-form.ts';

shortForm(L4);
