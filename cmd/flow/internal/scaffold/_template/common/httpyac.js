// For httpyac (https://httpyac.github.io), which sends the requests in route files:
//
//   npx httpyac send 'app/router/**/*.http' --all
//
// It reads the expectations behind # ??, and replaces {{login.response.body.$.token}} with the
// value of an earlier answer, as the tests of flow do. FLOW_URL names a server other than the
// one in the files: FLOW_URL=https://staging.example.com npx httpyac …
const expectation = /^\s*#+\s*(\?\?.*?)\s*$/;
const typed = /^is(Array|String|Number|Boolean)$/;
const condition = /^([=!]=|[<>]=?|includes|contains|startsWith|endsWith|matches|exists|isFalse)$/;
const reference = /\{\{\s*(\w+)\.response\.(body|headers)\.(.*?)\s*\}\}/g;
const host = /^(https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?|\{\{\s*\w+\s*\}\}|)(?=[/?]|$)/;

const steps = place => [...place.matchAll(/([\w-]+)|\[(\d+)\]/g)].map(([, key, index]) => key ?? index);

// In httpyac, a place is JavaScript: errors.name fails if there are no errors.
function assertion(text) {
  const [, place, rest] = /^\?\?\s*body\s+(\S+)\s*(.*)$/.exec(text) ?? [];
  if (!place || condition.test(place)) return text;
  if (typed.test(place)) return `?? js [response.parsedBody,response.body].find(v=>v!==undefined) ${place}`;
  return `?? js response.parsedBody${steps(place).map(s => `?.['${s}']`).join('')} ${rest}`;
}

function valueOf(answer, part, place) {
  if (part === 'headers') return answer.headers[place.toLowerCase()];
  if (place === '*') return answer.body;
  return steps(place.slice(1)).reduce((value, step) => value?.[step], answer.parsedBody);
}

module.exports = {
  configureHooks(api) {
    const assert = api.hooks.parse.items.find(hook => hook.id === 'assert');
    const add = (line, context) =>
      assert.action(function* () {
        yield { ...line, textLine: assertion(expectation.exec(line.textLine)[1]) };
      }, context);
    api.hooks.parse.addHook('flow', async (read, context) => {
      const lines = read();
      const { value: first } = lines.next();
      if (!first) return false;
      if (expectation.test(first.textLine)) return add(first, context);
      if (/^\s*[A-Z]+\s/.test(first.textLine) && !context.httpRegion.request) {
        for (const line of lines) { // the header, whose comments httpyac drops
          if (!line.textLine.trim()) break;
          if (expectation.test(line.textLine)) await add(line, context);
        }
      }
      return false;
    }, { before: ['meta'] });
    api.hooks.replaceVariable.addHook('flow', async (text, type, context) => {
      if (typeof text !== 'string') return text;
      text = text.replace(reference, (all, name, part, place) => {
        const answer = context.variables[`${name}Response`];
        const value = answer && valueOf(answer, part, place);
        return value === undefined ? all : typeof value === 'string' ? value : JSON.stringify(value);
      });
      if (type !== 'Url') return text;
      const server = process.env.FLOW_URL || (context.variables.host ? '' : 'http://localhost:8080');
      return text.replace(host, found => (process.env.FLOW_URL || !found) && server ? server : found);
    }, { before: ['host'] });
  },
};
