import type { ValidationErrorItem } from '@commerce-backend/spec';
import type { AgentTool } from './tools.ts';

/** The parts of an HTTP request, which the caller of a tool does not see. */
const PARTS: unknown[] = ['body', 'query', 'path', 'header'];

/** Changes the paths of a call's errors to the arguments of its tool, and adds how to correct them. */
export function inArguments(tool: AgentTool, body: Record<string, unknown>): Record<string, unknown> {
  const { name, inputSchema } = tool.definition;
  const known = Object.keys(inputSchema.properties ?? {});
  const takes = known.length === 0 ? `${name} takes no arguments.` : `${name} takes ${known.join(', ')}.`;
  const detail = (body.detail as ValidationErrorItem[]).map((item) => {
    const loc = argumentOf(item.loc);
    const isUnknown = item.type === 'extra_forbidden' && loc.length === 1;
    return { ...item, loc, ...(isUnknown && { msg: `Unknown argument. ${takes}` }) };
  });
  const all = [...new Set(detail.map(({ loc }) => loc.join('.')))].filter(isName).slice(0, MOST_NAMED).join(', ');
  return {
    ...body,
    detail,
    message: `Wrong arguments of ${name}${all && `: ${all}`}. See detail.`,
    next: `Correct ${all || 'the arguments in detail'}, and call ${name} again.`,
  };
}

const MOST_NAMED = 5;

/** Models follow `next`, so it must not quote a whole sentence that was sent as the name of an argument. */
function isName(text: string): boolean {
  return /^[\w.-]{1,60}$/.test(text);
}

function argumentOf(loc: ValidationErrorItem['loc']): ValidationErrorItem['loc'] {
  if (loc[0] === 'header') return ['meta', String(loc[1]).toLowerCase()];
  const inside = PARTS.includes(loc[0]) ? loc.slice(1) : loc;
  // The error concerns the arguments as a whole: for example, there are too few.
  return inside.length > 0 ? inside : ['arguments'];
}
