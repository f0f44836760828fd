"""The attributes of MJCF whose meaning reaches the mechanism, or that have none for it.

Used: by the importer itself, or by MuJoCo's compiler, whose arrays it reads. Attributes of pictures are here too. What
is neither here nor among the words of mjcf_words.py is reported as ignored: a format that grows loses nothing silently.
"""

from __future__ import annotations

__all__ = ["ACTUATORS", "TAGS_WITHOUT_ATTRIBUTES", "TENDONS", "USED"]

PLACE = "pos quat axisangle euler xyaxes zaxis"
TRANSMISSION = "joint jointinparent gear tendon site refsite slidersite cranksite cranklength lengthrange body"
ACTUATORS = (
    "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor plugin"
).split()
TENDONS = ("spatial", "fixed", "tendon")
TAGS_WITHOUT_ATTRIBUTES = ("worldbody", "asset", "actuator", "keyframe", "contact")

# What the compiler makes gain, bias and dynamics of.
_LAWS = {
    "general": "gaintype gainprm biastype biasprm dyntype dynprm inheritrange",
    "position": "kp kv dampratio timeconst inheritrange",
    "velocity": "kv",
    "intvelocity": "kp kv dampratio inheritrange",
    "orientation": "kp kv dampratio",
    "pid": "kp kv dampratio inheritrange",
    "damper": "kv",
    "cylinder": "area diameter bias timeconst",
    "muscle": "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax",
    "adhesion": "gain",
    "dcmotor": "motorconst resistance inductance nominal saturation cogging controller lugre thermal",
}
_WORDS = {
    "mujoco": "model",
    "compiler": "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict coordinate "
    "discardvisual eulerseq fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir passthrough savecanonical "
    "savecompiled saveinertial settotalmass strippath texturedir usethread",
    "option": "gravity actuatorgroupdisable",
    "flag": "actuation clampctrl constraint contact damper equality filterparent frictionloss gravity limit spring",
    "default": "class",
    "mesh": "builtin class content_type face file inertia material maxhullvert name normal params refpos refquat "
    "scale smoothnormal texcoord vertex",
    "hfield": "content_type elevation file name ncol nrow size",
    "texture": "builtin class colorspace content_type embed file fileback filedown filefront fileleft fileright "
    "fileup gridlayout gridsize height hflip mark markrgb name nchannel random rgb1 rgb2 type vflip width",
    "material": "class emission metallic name reflectance rgba roughness shininess specular texrepeat texture "
    "texuniform",
    "layer": "role texture",
    "body": f"{PLACE} name childclass fuse mocap simple user",
    "frame": f"{PLACE} name childclass",
    "replicate": "count sep offset euler",
    "inertial": f"{PLACE} mass diaginertia fullinertia",
    "joint": "name class group user type pos axis ref range limited armature damping frictionloss stiffness springref "
    "springdamper active joint1 joint2 polycoef coef joint",  # the last ones of equalities and tendons
    "freejoint": "name group align",
    "geom": f"{PLACE} name class group user type size fromto mass density shellinertia mesh fitscale hfield material "
    "rgba castshadow contype conaffinity friction priority geom sidesite",
    "site": f"{PLACE} name class group user type size fromto material mesh rgba site",
    "pulley": "divisor",
    "exclude": "name body1 body2",
    "pair": "name class geom1 geom2 friction",
    "connect": "name class active body1 body2 site1 site2 anchor",
    "weld": "name class active body1 body2 site1 site2 anchor relpose",
    "equality": "active",
    "key": "name qpos qvel ctrl",
    "flexstrain": "name class active flex cell",
}
USED: dict[str, frozenset[str]] = {
    **{tag: frozenset(words.split()) for tag, words in _WORDS.items()},
    **{
        tag: frozenset(f"name class group user armature damping {TRANSMISSION} {_LAWS.get(tag, '')}".split())
        for tag in ACTUATORS
    },
    **dict.fromkeys(TENDONS, frozenset("name class group user width rgba material".split())),
    **dict.fromkeys(TAGS_WITHOUT_ATTRIBUTES, frozenset()),
}
USED["tendon"] |= frozenset("active tendon1 tendon2 polycoef".split())  # the equality of this name
