"""Bills of materials (SBOM, CycloneDX): what a release is made of.

A wheel that carries libraries of the system lists them in ``.dist-info/sboms/`` (PEP
770): auditwheel writes it, with the package of the system that each is from. What pip
installs beside a wheel has a file of its own, made by cyclonedx-py.
"""
import json
import re
import sys
import zipfile


def check_carried(wheel):
    """End the check if a wheel carries a library that no bill in it lists.

    Parameters
    ----------
    wheel : Path
        The wheel.

    Returns
    -------
    list of str
        Names and versions of the packages that the libraries are from.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        bills = [json.loads(archive.read(name)) for name in names
                 if re.search(r'\.dist-info/sboms/.*\.cdx\.json$', name)]
    carried = {re.match(r'[A-Za-z_+]+', name.rpartition('/')[2])[0] for name in names
               if re.match(r'[^/]+\.libs/.', name)}
    listed = [part for bill in bills for part in bill['components']
              if not part['purl'].startswith('pkg:pypi/chainer')]
    for library in sorted(carried):
        if not any(part['name'].startswith(library) for part in listed):
            sys.exit('%s carries %s, and lists %s in .dist-info/sboms/: auditwheel 6.5 '
                     'or later lists what it copies' % (
                         wheel.name, library, [part['name'] for part in listed]))
    return ['%s %s' % (part['name'], part['version']) for part in listed]


def write_bill(tools, environment, path, wanted, **environ):
    """Write the bill of what an environment has, and check that it is there.

    Parameters
    ----------
    tools : machine.Environment
        Has cyclonedx-py.
    environment : machine.Environment
        What to describe.
    path : Path
        The file to write.
    wanted : set of str
        Names of packages that have to be in it.
    **environ
        Variables: SOURCE_DATE_EPOCH makes it the same every time.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    tools.run('cyclonedx-py', 'environment', '--output-reproducible', '--of', 'JSON',
              '--validate', '-o', path, environment.python, **environ)
    bill = json.loads(path.read_text(encoding='utf-8'))
    found = {part['name'].replace('_', '-') for part in bill['components']}
    if not wanted <= found:
        sys.exit('%s lacks %s: it has %s' % (
            path.name, ', '.join(sorted(wanted - found)), ', '.join(sorted(found))))
