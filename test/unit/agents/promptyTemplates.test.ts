import assert from "node:assert/strict";
import fc from "fast-check";
import { readJinja } from "../../../src/agents/promptyJinja.ts";
import { readMustache } from "../../../src/agents/promptyMustache.ts";
import { createOutput, type Template, TemplateError } from "../../../src/agents/promptySegments.ts";

type Read = (text: string) => Template;

function rendered(read: Read, template: string, inputs: Readonly<Record<string, unknown>>): string {
  const output = createOutput(() => false);
  read(template).render(inputs, output);
  return output.segments.map(({ text }) => text).join("");
}

function check(read: Read, inputs: Readonly<Record<string, unknown>>, cases: Readonly<Record<string, string>>): void {
  for (const [template, expected] of Object.entries(cases))
    assert.equal(rendered(read, template, inputs), expected, template);
}

/** `line sentence` of what is wrong with a template. */
function problem(read: Read, template: string): string {
  try {
    read(template);
    return "nothing";
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error));
    return `${error.line ?? "-"} ${error.message}`;
  }
}

describe("Jinja templates", () => {
  const inputs = {
    n: 3,
    no: null,
    t: true,
    s: "it's",
    xs: ["a", "b"],
    e: [],
    m: { "k y": "v", list: [1, 'q"', null] },
    us: [
      { name: "Al", age: 30 },
      { name: "Bo", age: 4 },
    ],
  };

  // Expected texts are what Python's jinja2 3.1.6 gives, with its trailing newline kept.
  it("PROMPTY-5-1 read as Python's do, every construct", () => {
    check(readJinja, inputs, {
      "{{ n }}{{ t }}{{ no }}{{ m.list }}{{ us }}":
        "3TrueNone[1, 'q\"', None][{'name': 'Al', 'age': 30}, {'name': 'Bo', 'age': 4}]",
      '{{ m["k y"] }}{{ xs[-1] }}{{ us[0].name }}{{ us.1.age }}': "vbAl4",
      "{% if n > 4 %}a{% elif n == 3 and not e %}b{% else %}c{% endif %}": "b",
      "{% for x in xs %}{{ loop.index }}{{ x }}{% if not loop.last %}, {% endif %}{% else %}none{% endfor %}": "1a, 2b",
      "{% for x in e %}{{ x }}{% else %}none{% endfor %}": "none",
      "{% for u in us if u.age > 9 %}{{ loop.length }}{{ u.name }}{% endfor %}": "1Al",
      "{{ s | upper | lower }}{{ ' x ' | trim }}{{ '--x-' | trim('-') }}": "it'sxx",
      "{{ xs | join(', ') }}{{ us | join(d='/', attribute='name') }}{{ xs | length }}{{ m | count }}": "a, bAl/Bo22",
      "{{ gone | default('d') }}{{ '' | d('e', true) }}{{ no | default('f') }}{{ gone | default }}": "deNone",
      "{{ 'a' if t else 'b' }}{{ 'c' if e }}{{ 'a' in xs }}{{ 'q' not in s }}{{ n in [1, 3] }}": "aTrueTrueTrue",
      "{{ n + 1 }}{{ n - 1 }}{{ n * 2 }}{{ -n }}{{ 'a' ~ n }}{{ n != 3 or n >= 3 }}": "426-3a3True",
      "{{ gone is defined }}{{ no is none }}{{ n is not undefined }}": "FalseTrueTrue",
      "{# c #}a {#- d -#} b{{ '}}' }}": "ab}}",
      "  {%- if t -%}  x  {%- endif -%}  \n{{- n -}}  \n": "x3",
      "a\n  b\n\n": "a\n  b\n\n",
      "1 } { {n} % # {": "1 } { {n} % # {",
    });
  });

  it("PROMPTY-5-2 what is not there is empty, nothing is escaped", () => {
    check(
      readJinja,
      { h: "<a href='x'>&</a>", t: "{{ h }}" },
      {
        "[{{ gone }}{{ gone.x.y }}{{ h.x }}{{ gone | upper }}]": "[]",
        "{{ h }}{{ t }}": "<a href='x'>&</a>{{ h }}",
        "{% for x in gone %}x{% endfor %}": "",
      },
    );
  });

  it("PROMPTY-5-3 reach nothing but the inputs' own values", () => {
    const names = ["constructor", "__proto__", "prototype", "toString", "valueOf", "length", "hasOwnProperty"];
    for (const name of names)
      for (const holder of ["", "m.", "xs.", "s.", "n.", "loop.", "gone."])
        assert.equal(rendered(readJinja, `{{ ${holder}${name} }}{{ m["${name}"] }}`, inputs), "", holder + name);
    const call = "template: a call of a function cannot be used here";
    for (const made of [
      "range(9)",
      "s.upper()",
      "m.items()",
      "namespace(a=1)",
      "raise_exception('x')",
      "strftime_now('%Y')",
    ])
      assert.equal(problem(readJinja, `\n{{ ${made} }}`), `2 ${call}`);
  });

  it("PROMPTY-5-3 come to an end, and give no more than a text", () => {
    const many = { xs: Array.from({ length: 2_000 }, (_, i) => i), long: "x".repeat(1_000_000) };
    const nested = "{% for a in xs %}{% for b in xs %}{% for c in xs %}{% endfor %}{% endfor %}{% endfor %}";
    assert.throws(() => rendered(readJinja, nested, many), /does not come to an end/);
    assert.throws(() => rendered(readJinja, "{{ long }}".repeat(5), many), /too much text/);
    assert.throws(() => rendered(readJinja, "{{ xs | join(long) }}", many), /too much text/);
    assert.equal(problem(readJinja, `{{ ${"(".repeat(100_000)}`), "1 template: is nested too deeply");
    for (const read of [readJinja, readMustache])
      assert.equal(problem(read, `a\n{{ x${" ".repeat(100_000)}`), "2 template: has too many blanks in a row");
  });

  it("PROMPTY-4-1 what is wrong is said with its line", () => {
    const known = "upper, lower, trim, join, length, count, default, d";
    for (const [template, expected] of Object.entries({
      "a\n{% if x %}\n{% if y %}{% endif %}\n": "2 template: `if` has no `endif`",
      "a\n{% for x in xs %}": "2 template: `for` has no `endfor`",
      "a\nb {{ x": "2 template: this is not closed",
      "a\n{# x": "2 template: this is not closed",
      "a\n\n{% endif %}\nb": "3 template: Unknown statement type: endif",
      "a\n{{ x ? y }}\nb": "2 template: Unexpected character: ?",
      "{{ x }}\n{{ x | first }}": `2 template: there is no filter \`first\`; there are ${known}`,
      "{{ x }}\n{{ x | upper(1) }}": "2 template: the filter `upper` takes only its value",
      "{{ x }}\n{% if x is odd %}{% endif %}": "2 template: there is no test `odd`; there are defined, undefined, none",
      "a\n{% set x = 1 %}": "2 template: `set` is not part of this template language",
      "a\n{% macro x() %}{% endmacro %}": "2 template: `macro` is not part of this template language",
    }))
      assert.equal(problem(readJinja, template), expected, template);
  });

  it("PROMPTY-5-1 are read, or refused in a sentence, whatever they are", () => {
    const piece = fc.constantFrom(
      "{{",
      "}}",
      "{%",
      "%}",
      "{#",
      "#}",
      "-",
      "if",
      "for",
      "x",
      "in",
      "endif",
      "endfor",
      "|",
    );
    const pieces = fc.oneof(
      piece,
      fc.constantFrom(" ", "\n", "'", '"', "(", ")", "[", "]", ".", ",", "else", "\\"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const template = parts.join("");
        const wrong = problem(readJinja, template);
        assert.match(wrong, /^nothing$|^\d+ template: /);
        if (!/\{[{%#]/.test(template)) assert.equal(rendered(readJinja, template, {}), template);
      }),
    );
  });
});

describe("Mustache templates", () => {
  it("have names, sections and what is left out; nothing is escaped", () => {
    const inputs = {
      a: { b: "<1>" },
      xs: ["p", "q"],
      us: [{ n: 1 }, { n: 2 }],
      yes: true,
      none: [],
      zero: 0,
      name: "N",
    };
    check(readMustache, inputs, {
      "{{a.b}} {{{a.b}}} {{&a.b}} {{gone.b}}{{! c }}": "<1> <1> <1> ",
      "{{#xs}}{{.}},{{/xs}}{{#us}}{{n}}{{name}};{{/us}}": "p,q,1N;2N;",
      "{{#yes}}y{{/yes}}{{^yes}}n{{/yes}}{{#none}}n{{/none}}{{^none}}e{{/none}}{{^gone}}g{{/gone}}": "yeg",
      "{{#a}}{{b}}{{/a}}\n{{zero}}{{#zero}}z{{/zero}}": "<1>\n0",
      "x\n{{#yes}}\n  y\n{{/yes}}\nz": "x\n  y\nz",
    });
  });

  it("PROMPTY-5-3 reach nothing but the inputs' own values, and call nothing", () => {
    const call = (): string => assert.fail("called");
    check(
      readMustache,
      { s: "x", n: 1, call },
      {
        "[{{constructor}}{{toString}}{{s.length}}{{n.toFixed}}{{call}}{{__proto__.x}}{{#constructor}}x{{/constructor}}]":
          "[]",
        "[{{call.x}}]": "[]",
      },
    );
  });

  it("PROMPTY-4-1 what is wrong is said with its line", () => {
    assert.equal(problem(readMustache, "a\n{{#x}}\nb"), '3 template: Unclosed section "x"');
    assert.equal(problem(readMustache, "a\n{{x"), "2 template: Unclosed tag");
    assert.equal(problem(readMustache, "a\n\n{{> part}}"), "3 template: there are no partials here");
  });

  it("PROMPTY-5-3 are read and rendered, or refused in a sentence, whatever they are", () => {
    const piece = fc.constantFrom("{{", "}}", "{{{", "}}}", "#", "/", "^", "x", ".", "&", "=", ">", "!", " ", "\n");
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }), fc.jsonValue(), (parts, x) => {
        const template = parts.join("");
        const wrong = problem(readMustache, template);
        assert.match(wrong, /^nothing$|^(?:\d+|-) template: /);
        if (wrong === "nothing") rendered(readMustache, template, { x });
        if (!template.includes("{{")) assert.equal(rendered(readMustache, template, {}), template);
      }),
    );
  });
});
