import type { CommandNode, OptionNode } from './command-tree.ts';

/** The tree as a list, parents first. */
const flatten = (node: CommandNode): CommandNode[] => [node, ...node.children.flatMap(flatten)];

/** Options that a command takes: its own and, as they may stand anywhere, govctl's. */
const optionsAt = (node: CommandNode, root: CommandNode): readonly OptionNode[] =>
  node === root
    ? root.options
    : [
        ...node.options,
        ...root.options.filter(
          (option) =>
            !option.names.includes('--help') && (node.children.length > 0 || !isOutput(option)),
        ),
      ];

/** A command that runs something has an `-o` of its own, or none. */
const isOutput = ({ names }: OptionNode): boolean => names.includes('--output');

const lastWord = (node: CommandNode): string => node.path.split(' ').at(-1) ?? '';

const askProfiles = 'govctl completion profiles 2>/dev/null';
const takesProfile = 'auth switch';

/** What follows an option: fixed words, the profiles as they are, or a file (undefined). */
function valuesOf({ names, choices }: OptionNode): string | undefined {
  if (names.includes('--profile')) return `$(${askProfiles})`;
  return choices.length > 0 ? choices.join(' ') : undefined;
}

/** `case` patterns of options that take a value, each with the words that may follow it. */
function valueCases(root: CommandNode): { pattern: string; words: string | undefined }[] {
  return flatten(root).flatMap((node) =>
    optionsAt(node, root)
      .filter(({ takesValue }) => takesValue)
      .map((option) => ({
        pattern: option.names.map((name) => `'${node.path}|${name}'`).join('|'),
        words: valuesOf(option),
      })),
  );
}

/** The shell code, for bash and zsh alike, that walks the words before the cursor and finds the command in `at`. */
function walk(root: CommandNode, word: string, first: number, end: string): string {
  const valued = valueCases(root).map(({ pattern }) => pattern);
  const commands = flatten(root)
    .filter((node) => node !== root)
    .map(({ path }) => `'${path}'`);
  return `  for ((i = ${first}; i < ${end}; i++)); do
    word="${word}"
    case "$at|$word" in
      ${valued.join('|')}) ((i++)); continue ;;
    esac
    [[ $word == -* ]] && continue
    next="\${at:+$at }$word"
    case "$next" in
      ${commands.join('|')}) at=$next ;;
    esac
  done
`;
}

export function bashScript(root: CommandNode): string {
  const values = valueCases(root).map(({ pattern, words }) =>
    words === undefined
      ? `    ${pattern}) compopt -o default 2>/dev/null; return ;;`
      : `    ${pattern}) COMPREPLY=($(compgen -W "${words}" -- "$cur")); return ;;`,
  );
  const cases = flatten(root).map((node) => {
    const options = optionsAt(node, root).flatMap(({ names }) => names);
    const words =
      node.path === takesProfile
        ? `$(${askProfiles})`
        : [...node.children.map(lastWord), ...node.choices].join(' ');
    return `    '${node.path}') options="${options.join(' ')}"; words="${words}" ;;`;
  });
  return `# bash completion for govctl
_govctl() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local at= next word i options words
  COMPREPLY=()
${walk(root, '${COMP_WORDS[i]}', 1, 'COMP_CWORD')}  case "$at|$prev" in
${values.join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    compopt -o default 2>/dev/null
  fi
}
complete -F _govctl govctl
`;
}

/** For zsh's \`_describe\`: 'word:what it is'. */
const zshItem = (word: string, description: string): string =>
  `'${`${word}:${description}`.replaceAll("'", `'\\''`)}'`;

export function zshScript(root: CommandNode): string {
  const values = valueCases(root).map(({ pattern, words }) =>
    words === undefined
      ? `    ${pattern}) _files; return ;;`
      : `    ${pattern}) compadd -- ${words}; return ;;`,
  );
  const cases = flatten(root).map((node) => {
    const options = optionsAt(node, root).flatMap(({ names, description }) =>
      names.map((name) => zshItem(name, description)),
    );
    const words = [
      ...node.children.map((child) => zshItem(lastWord(child), child.description)),
      ...node.choices.map((choice) => `'${choice}'`),
    ];
    const found = node.path === takesProfile ? `\${(f)"$(${askProfiles})"}` : words.join(' ');
    return `    '${node.path}')
      options=(${options.join(' ')})
      found=(${found}) ;;`;
  });
  return `#compdef govctl
_govctl() {
  local at= next word i
  local -a options found
${walk(root, '${words[i]}', 2, 'CURRENT')}  case "$at|\${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe 'option' options
  elif (( \${#found} )); then
    _describe 'command' found
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _govctl ]]; then
  _govctl "$@"
else
  compdef _govctl govctl
fi
`;
}

const fishText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export function fishScript(root: CommandNode): string {
  const nodes = flatten(root);
  const known = nodes.filter((node) => node !== root).map(({ path }) => fishText(path));
  const valuedWords = nodes.flatMap((node) =>
    optionsAt(node, root)
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ names }) => names.map((name) => fishText(`${node.path}|${name}`))),
  );
  const lines = nodes.flatMap((node) => {
    const when = `-n ${fishText(`__govctl_at ${fishText(node.path)}`)}`;
    return [
      ...node.children.map(
        (child) =>
          `complete -c govctl -f ${when} -a ${lastWord(child)} -d ${fishText(child.description)}`,
      ),
      ...node.choices.map((choice) => `complete -c govctl -f ${when} -a ${choice}`),
      ...(node.path === takesProfile
        ? [`complete -c govctl -f ${when} -a '(${askProfiles})'`]
        : []),
      ...node.options.map((option) =>
        fishOption(option, node === root && !isOutput(option) ? '' : ` ${when}`),
      ),
    ];
  });
  return `# fish completion for govctl
function __govctl_at --argument-names wanted
    set -l at ''
    set -l skip no
    for word in (commandline -opc)[2..-1]
        if test $skip = yes
            set skip no
            continue
        end
        if contains -- "$at|$word" ${valuedWords.join(' ')}
            set skip yes
            continue
        end
        set -l next (string trim -- "$at $word")
        if contains -- "$next" ${known.join(' ')}
            set at $next
        end
    end
    test "$at" = "$wanted"
end
${lines.join('\n')}
`;
}

function fishOption({ names, description, takesValue, choices }: OptionNode, when: string): string {
  const flags = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const values = names.includes('--profile')
    ? ` -x -a '(${askProfiles})'`
    : choices.length > 0
      ? ` -x -a ${fishText(choices.join(' '))}`
      : takesValue
        ? ' -r'
        : '';
  return `complete -c govctl${when} ${flags.join(' ')}${values} -d ${fishText(description)}`;
}

/** A string of PowerShell, which also ends strings at typographic quotes. */
const psText = (text: string): string => `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;

const psList = (texts: readonly string[]): string => `@(${texts.map(psText).join(', ')})`;

/** A word, and what the list of completions says of it. */
const psItem = (word: string, description: string): string => `${word}|${description}`;

export function powershellScript(root: CommandNode): string {
  const tables = flatten(root).flatMap((node) => {
    const at = psText(node.path);
    const options = optionsAt(node, root);
    return [
      `    $words[${at}] = ${psList([...node.children.map((child) => psItem(lastWord(child), child.description)), ...node.choices])}`,
      `    $options[${at}] = ${psList(options.flatMap(({ names, description }) => names.map((name) => psItem(name, description))))}`,
      ...options
        .filter(({ takesValue }) => takesValue)
        .flatMap(({ names, choices }) =>
          names.map(
            (name) => `    $values[${psText(`${node.path}|${name}`)}] = ${psList(choices)}`,
          ),
        ),
    ];
  });
  // Keys of an ordinary hashtable ignore case, and -v and -V are two options.
  return `# PowerShell completion for govctl
Register-ArgumentCompleter -Native -CommandName govctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
    $options = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
    $values = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
${tables.join('\n')}
    $at = ''
    $last = ''
    $takesValue = $false
    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition })
    foreach ($element in $typed) {
        $word = $element.Extent.Text
        $last = $word
        if ($takesValue) { $takesValue = $false; continue }
        if ($values.ContainsKey("$at|$word")) { $takesValue = $true; continue }
        if ($word.StartsWith('-')) { continue }
        $next = "$at $word".Trim()
        if ($words.ContainsKey($next)) { $at = $next }
    }
    $found = if ($takesValue -and $last -eq '--profile') { @(& govctl completion profiles 2>$null) }
        elseif ($takesValue) { $values["$at|$last"] }
        elseif ($wordToComplete.StartsWith('-')) { $options[$at] }
        elseif ($at -eq ${psText(takesProfile)}) { @(& govctl completion profiles 2>$null) }
        else { $words[$at] }
    # Without matches, PowerShell completes file names.
    foreach ($item in $found) {
        $text, $about = $item -split '\|', 2
        if (-not $text.StartsWith($wordToComplete, [StringComparison]::Ordinal)) { continue }
        if (-not $about) { $about = $text }
        [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
    }
}
`;
}
